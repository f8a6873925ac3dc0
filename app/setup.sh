# Shared by app/run and tests/run (sourced): Debian packages, configuring, building. Needs root only to install.

rx_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rx_say() { printf '\033[1m==\033[0m %s\n' "$*"; }
rx_fail() { printf 'relaxscope: %s\n' "$*" >&2; exit 1; }

# Installs those of the packages named in the given lists that are missing.
rx_packages() {
  local missing=() name
  while read -r name; do
    [ -n "$name" ] || continue
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done < <(cat "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  rx_say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  [ "$(id -u)" = 0 ] || rx_fail "these packages are missing and installing needs root: ${missing[*]}"
  local log=/tmp/relaxscope-apt.$$.log
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; rx_fail "installing packages failed (the whole log: $log)"; }
  rm -f "$log"
}

# rx_build PRESET TARGET...: configures when needed, then builds the targets; ninja shows the progress.
rx_build() {
  local preset=$1 dir="$rx_root/build/$1"
  shift
  if [ ! -f "$dir/build.ninja" ]; then
    rx_say "configuring $preset"
    if command -v ccache >/dev/null; then
      export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    fi
    local log="$rx_root/build/configure-$preset.log"
    mkdir -p "$rx_root/build"
    (cd "$rx_root" && cmake --preset "$preset") >"$log" 2>&1 || { tail -n 30 "$log" >&2; rx_fail "configuring failed (the whole log: $log)"; }
  fi
  ninja -C "$dir" "$@" || rx_fail "building $preset failed; the first error is above"
}
