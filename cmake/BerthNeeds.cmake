# Say at once everything that is missing to build from source: `pip install` shows nothing but what fails.

# berth_need(PACKAGE HEADER [FOLDER...])  — a Debian package, a header that it brings, folders to look in besides
function(berth_need package header)
  string(MAKE_C_IDENTIFIER "BERTH_HAS_${package}" found)
  find_path(${found} ${header} PATH_SUFFIXES ${ARGN})
  mark_as_advanced(${found})
  if(NOT ${found})
    set_property(GLOBAL APPEND PROPERTY BERTH_MISSING ${package})
  endif()
endfunction()

berth_need(libre2-dev re2/re2.h)
berth_need(nlohmann-json3-dev nlohmann/json.hpp)
berth_need(libtomlplusplus-dev toml++/toml.h)
berth_need(libssl-dev openssl/evp.h)
berth_need(libsqlite3-dev sqlite3.h)
berth_need(libboost1.81-dev boost/asio.hpp)
berth_need(libfmt-dev fmt/core.h)
berth_need(libcli11-dev CLI/CLI.hpp)

get_property(missing GLOBAL PROPERTY BERTH_MISSING)
if(missing)
  list(JOIN missing " " missing)
  message(FATAL_ERROR "Berth is built from source with libraries that are not here. On Debian and Ubuntu:\n"
    "  sudo apt-get install ${missing}")
endif()
