// The code of fmt for packages, once: its library is built with what they do not have. The locale is "C".
#include <fmt/format-inl.h>

namespace fmt {
inline namespace v9 {
namespace detail {
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
}  // namespace detail
}  // namespace v9
}  // namespace fmt
