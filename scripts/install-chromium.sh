#!/bin/sh
# The browser tests drive Debian's Chromium. Elsewhere, install Chromium by hand and set CHROMIUM.
set -eu
if [ -n "${CHROMIUM:-}" ] || [ -x /usr/bin/chromium ]; then
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "Install Chromium and set CHROMIUM to its path, then run make test again." >&2
  exit 1
fi
sudo=""
[ "$(id -u)" = 0 ] || sudo="sudo"
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends chromium >/dev/null
