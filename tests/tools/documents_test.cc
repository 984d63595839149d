#include <cstdlib>

#include <gmock/gmock.h>

#include "policy/read_only.h"
#include "tests/tools/tools_fixture.h"

namespace berth::tools {
namespace {

using ::testing::HasSubstr;

using Documents = ToolsTest;

// One page that says "Hello document".
constexpr std::string_view kPdf =
    "%PDF-1.4\n"
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R"
    "/Resources<</Font<</F1 5 0 R>>>>>>endobj\n"
    "4 0 obj<</Length 45>>stream\nBT /F1 18 Tf 20 50 Td (Hello document) Tj ET\nendstream endobj\n"
    "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
    "trailer<</Root 1 0 R/Size 6>>\n"
    "%%EOF\n";

TEST_F(Documents, a_pdf_comes_back_as_its_text_whatever_its_name) {
  dir.write("paper.txt", kPdf);
  const auto result = call("read_file", R"({"path": "paper.txt"})");
  EXPECT_EQ(result.outcome, Outcome::success) << result.text;
  EXPECT_EQ(result.structured["kind"], "document");
  EXPECT_EQ(result.structured["media_type"], "application/pdf");
  EXPECT_THAT(result.text, HasSubstr("Hello document"));
}

TEST_F(Documents, a_broken_pdf_says_that_it_cannot_be_read) {
  dir.write("broken.pdf", "%PDF-1.4\nnothing that makes sense");
  const auto result = call("read_file", R"({"path": "broken.pdf"})");
  EXPECT_EQ(result.outcome, Outcome::success);
  EXPECT_EQ(result.text, "PDF broken.pdf (33 bytes), without its text: pdftotext cannot read it");
}

TEST_F(Documents, a_workspace_that_runs_no_commands_says_so) {
  dir.write("paper.pdf", kPdf);
  Workspace reading(make_read_only(std::move(local::open_local({dir.path()}, {})).value()));
  ToolSession conversation(reading);
  EXPECT_THAT(call_in(conversation, "read_file", {{"path", "paper.pdf"}}).text,
              HasSubstr("this workspace runs no commands"));
}

TEST_F(Documents, are_bounded_and_can_be_switched_off) {
  dir.write("paper.pdf", kPdf);
  ToolSession bounded(workspace, {.max_document_bytes = 100});
  EXPECT_EQ(call_in(bounded, "read_file", {{"path", "paper.pdf"}}).structured["error"]["code"], "too_large");
  ToolSession without(workspace, {.documents = false});
  EXPECT_EQ(call_in(without, "read_file", {{"path", "paper.pdf"}}).structured["kind"], "binary");
}

}  // namespace
}  // namespace berth::tools
