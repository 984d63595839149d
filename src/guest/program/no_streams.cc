// Keeps the library's streams and locales out of the guest: a third of its size, and all that ever writes to one is
// RE2's log of its own faults. The names below are those that RE2's logging uses (libstdc++'s stable ABI); what is
// defined here is not taken from the library. Everything written is lost, a fatal fault of RE2 still ends the program.
//
// Anything else that uses a stream needs more names of the same parts of the library, and the linker then says that
// these are defined twice: that code belongs elsewhere.

#include <cstddef>
#include <cstdlib>

extern "C" {

#define BERTH_NO_STREAM(name) \
  void* name(void* self) { return self; }

BERTH_NO_STREAM(_ZNSt8ios_baseC2Ev)                                                    // std::ios_base::ios_base()
BERTH_NO_STREAM(_ZNSt8ios_baseD2Ev)                                                    // std::ios_base::~ios_base()
BERTH_NO_STREAM(_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEED1Ev)      // ~basic_ostringstream()
BERTH_NO_STREAM(_ZNSt6localeC1Ev)                                                      // std::locale::locale()
BERTH_NO_STREAM(_ZNSt6localeD1Ev)                                                      // std::locale::~locale()
BERTH_NO_STREAM(_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E)  // basic_ios::init
BERTH_NO_STREAM(_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate)           // basic_ios::clear
BERTH_NO_STREAM(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l)
BERTH_NO_STREAM(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc)  // operator<<(ostream&, const char*)
BERTH_NO_STREAM(_ZNSo9_M_insertImEERSoT_)                                 // ostream::_M_insert<unsigned long>
BERTH_NO_STREAM(_ZNSo9_M_insertIPKvEERSoT_)                               // ostream::_M_insert<void const*>
BERTH_NO_STREAM(_ZNSolsEi)                                                // ostream::operator<<(int)
BERTH_NO_STREAM(_ZNSo3putEc)                                              // ostream::put
BERTH_NO_STREAM(_ZNSo5writeEPKcl)                                         // ostream::write

#undef BERTH_NO_STREAM

// The tables that constructors put into objects; nobody calls a function of them. From in front of where a table begins
// the offset of a base is read: zero, as everything here.
std::size_t _ZTVNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEE[16];
std::size_t _ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE[16];
std::size_t _ZTVSt9basic_iosIcSt11char_traitsIcEE[16];
std::size_t _ZTVSt15basic_streambufIcSt11char_traitsIcEE[16];
std::size_t* _ZTTNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEE[4] = {
    _ZTVSt9basic_iosIcSt11char_traitsIcEE + 8, _ZTVSt9basic_iosIcSt11char_traitsIcEE + 8,
    _ZTVSt9basic_iosIcSt11char_traitsIcEE + 8, _ZTVSt9basic_iosIcSt11char_traitsIcEE + 8};

}  // extern "C"

namespace __gnu_cxx {

/// What ends a program whose exception nobody caught; the library's own reads and prints the mangled name.
void __verbose_terminate_handler() { std::abort(); }

}  // namespace __gnu_cxx
