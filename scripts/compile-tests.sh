#!/bin/sh
# Compiles the project for its tests, without checking its types. Each file in $compiled has the place of its source, so
# that the tests find there what they read beside themselves, and other programs of the project.
set -eu
cd "$(dirname "$0")/.."
sources='examples generated openapi packages scripts src test'
compiled=.compiled

rm -rf $compiled
esbuild --outdir=$compiled --outbase=. --platform=node --target=node20.19 --format=esm --charset=utf8 \
  --sourcemap --sources-content=false --log-level=warning \
  --loader:.json=copy --loader:.md=copy --loader:.sql=copy --loader:.yaml=copy --loader:.css=copy --loader:.js=copy --loader:.text=copy \
  $(find $sources -name node_modules -prune -o -type f -name '*.ts' -print \
    -o -name '*.json' -print -o -name '*.md' -print -o -name '*.sql' -print -o -name '*.yaml' -print \
    -o -name '*.css' -print -o -name '*.js' -print -o -name '*.text' -print)
# A folder may have packages of its own, as test/browser/ does.
find $sources -name node_modules -prune | while read -r packages; do
  ln -s "$PWD/$packages" "$compiled/$packages"
done
