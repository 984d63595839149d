#!/usr/bin/env bash
# Install what the client tests run: the official clients, the conformance runner and the published schemas, each in the
# version that is pinned here, into the folder given. Does nothing when that was done before.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${1:?usage: install.sh FOLDER}
wanted=$(cat "$here"/{install.sh,requirements.txt,package.json,package-lock.json} | sha256sum)
if [ "$(cat "$target/.installed" 2>/dev/null || true)" = "$wanted" ]; then
  exit 0
fi

echo "installing the clients that the MCP server is tested with"
rm -rf "$target"
mkdir -p "$target/schema"
python3 -m venv "$target/python"
"$target/python/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"

cp "$here/package.json" "$here/package-lock.json" "$target"
# The runner wants Node 22; npm's own is older in Debian 12, and says so.
(cd "$target" && npm ci --silent --no-audit --no-fund --loglevel=error)

# The schemas travel with the source distribution of the Python client only.
"$target/python/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest "$target/sdist" \
  "$(grep -E '^mcp==' "$here/requirements.txt")"
tar -xzf "$target"/sdist/mcp-*.tar.gz -C "$target/sdist" --wildcards 'mcp-*/schema/*.json'
cp "$target"/sdist/mcp-*/schema/20*.json "$target/schema"
rm -rf "$target/sdist"

# A script of ours is started through this link, so that Node finds the packages beside it.
ln -s "$here" "$target/scripts"

echo "$wanted" > "$target/.installed"
