#!/bin/sh
# Runs test files with tap, from what it has compiled before. `npm test`, `npm run test:long`, `npm run test:all` and
# `npm run test:tools` are this script with other parameters (package.json); .taprc has the settings of tap.
#
#   scripts/test.sh [OPTIONS OF TAP] [FILES]    FILES are sources, such as test/plants/create-plant.test.ts
set -eu
cd "$(dirname "$0")/.."
# npm does the same for its scripts.
export PATH="$PWD/node_modules/.bin:$PATH"

all=yes
for parameter; do
  shift
  case $parameter in
    *.ts)
      all=no
      # tap passes over a file that does not exist, if there is another.
      [ -f "$parameter" ] || expr "$parameter" : '.*\*' >/dev/null || {
        echo "There is no test file $parameter." >&2
        exit 2
      }
      file=${parameter#"$PWD/"}
      set -- "$@" ".compiled/${file%ts}js"
      ;;
    *) set -- "$@" "$parameter" ;;
  esac
done

if [ $all = yes ]; then
  npm run --silent types
  npm run --silent codegen -- --check
fi
scripts/compile-tests.sh
# Without a terminal, tap would print its counts again after each assertion; with CI, it prints each file once.
[ -t 1 ] || export CI=true
# tap has a loader for TypeScript, which takes a second of each file's process. The compiled files do not need it.
exec tap run --reporter=base --test-env=TAP_TYPE_STRIP_ONLY=1 --test-env=CI "$@"
