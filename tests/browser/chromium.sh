#!/usr/bin/env bash
# Has a Chromium: the one that is there, else that of the system's packages.
set -euo pipefail
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then exit 0; fi
done
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null
    exit 0
fi
echo "make test-page needs Chromium: install the package chromium of your system" >&2
exit 1
