#!/usr/bin/env bash
# npm 11.19.1: a package that carries an npm-shrinkwrap.json pins nothing if it is installed from its tarball.
#
# Expected: npm's page on npm-shrinkwrap.json calls it "a publishable lockfile", for daemons and command-line tools.
# So `npm install ./tool-1.0.0.tgz` should install the versions that the shrinkwrap in this tarball names.
# What happens: npm takes the newest versions that the ranges of package.json admit, and says nothing. It heeds a
# shrinkwrap only if the registry's metadata of the package has `_hasShrinkwrap`, which a tarball by itself lacks.
# Whom it hurts: whoever ships a service as a tarball (a release's asset, an artifact of CI). Production gets versions
# that nobody has tested. Bundled dependencies are not affected.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix pinned npm@11.19.1
PATH="$folder/pinned/node_modules/.bin:$PATH"
echo "npm $(npm --version), node $(node --version)"
mkdir tool from-tarball from-folder
cat > tool/package.json <<'JSON'
{ "name": "tool", "version": "1.0.0", "dependencies": { "ms": "^2.0.0" }, "files": ["npm-shrinkwrap.json"] }
JSON
(cd tool && npm install --silent --no-audit --no-fund --save-exact=false --no-save ms@2.0.0 >/dev/null 2>&1
  npm shrinkwrap --silent >/dev/null 2>&1
  node -e '
    const lock = JSON.parse(require("fs").readFileSync("npm-shrinkwrap.json", "utf8"));
    console.log("the shrinkwrap says: ms", lock.packages["node_modules/ms"].version);')
# In the folder itself, the same file pins.
cp tool/package.json tool/npm-shrinkwrap.json from-folder/
(cd from-folder && npm ci --silent --no-audit --no-fund)
tarball=$(cd tool && npm pack --silent --pack-destination "$folder")
tar -tzf "$tarball" | grep -qx package/npm-shrinkwrap.json && echo "the tarball has it"
echo '{ "private": true }' > from-tarball/package.json
(cd from-tarball && npm install --silent --no-audit --no-fund "../$tarball")
version() { node -p "require('$1').version"; }
pinned=$(version "$folder/from-folder/node_modules/ms/package.json")
installed=$(find from-tarball -path '*node_modules/ms/package.json' -exec node -p "require('$folder/{}').version" \;)
echo "npm ci in the folder installs: ms $pinned"
echo "npm install of the tarball installs: ms $installed"
[ "$pinned" = 2.0.0 ] && [ "$installed" != 2.0.0 ]
