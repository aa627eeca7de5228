#!/usr/bin/env bash
# tap 21.8.0: `--disable-coverage`, in a project that has a file that runs `before` its tests.
#
# Expected: nothing counts coverage, so the exit code is that of the tests.
# What happens: the tests themselves are run without coverage, but the `before` file is run with it. Coverage of the sources
# that this file has loaded is reported, and as it is incomplete, tap exits 1 though every test has passed.
# Whom it hurts: whoever starts a database or a server before the tests, and switches coverage off to see whether one
# file passes. `allow-incomplete-coverage: true` in .taprc helps.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "type": "module" }' > package.json
npm install --silent --no-audit --no-fund tap@21.8.0
mkdir src test
cat > src/half.js <<'JS'
export function half(number) {
  if (number % 2 !== 0) throw new RangeError('odd');
  return number / 2;
}
JS
echo "import { half } from '../src/half.js'; half(2);" > test/before.js
echo "import t from 'tap'; t.equal(1, 1);" > test/passes.test.js
printf 'include:\n  - test/*.test.js\n' > .taprc
echo "tap $(node -p "require('./node_modules/tap/package.json').version"), Node.js $(node --version)"
exit_of() { npx tap run --reporter=tap "$@" >output 2>&1 && echo 0 || echo $?; }
without=$(exit_of --disable-coverage)
echo "without a before file: exit $without"
echo 'before: test/before.js' >> .taprc
with=$(exit_of --disable-coverage)
echo "with one: exit $with; $(grep -c '^not ok' output || true) tests failed"
grep 'half.js' output || true
[ "$without" -eq 0 ] && [ "$with" -eq 1 ]
