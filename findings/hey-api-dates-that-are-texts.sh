#!/usr/bin/env bash
# @hey-api/openapi-ts 0.95.0 with its plugin @hey-api/transformers: a `date-time` has the type `Date`, and is a text.
#
# Expected: the plugin's page says that it transforms answers, and that dates become `Date`. So a client that is made with
# the plugins for types, functions and transformers should return a `Date` where its type says so.
# What happens: the types change, and a file with transformers is written, but no function of the client uses it unless the
# plugin @hey-api/sdk is given `transformer: true`. Nothing warns, and everything compiles under `strict`.
# Whom it hurts: whoever adds the plugin to get exact types, for example a `bigint` for int64: `plant.boughtAt.getTime()`
# compiles, and throws at the first answer.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "type": "module" }' > package.json
npm install --silent --no-audit --no-fund @hey-api/openapi-ts@0.95.0 typescript@5.9.3 tsx@4.20.6 @types/node@20.19.43
cat > contract.yaml <<'YAML'
openapi: 3.0.3
info: { title: Dates, version: 1.0.0 }
paths:
  /plant:
    get:
      operationId: getPlant
      responses:
        '200':
          description: A plant.
          content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } }
components:
  schemas:
    Plant: { type: object, required: [boughtAt], properties: { boughtAt: { type: string, format: date-time } } }
YAML
cat > run.ts <<'TS'
import { type Plant, getPlant } from './FOLDER/index.js';

const fetch = async () =>
  new Response('{"boughtAt":"2026-11-27T12:00:00Z"}', { headers: { 'Content-Type': 'application/json' } });
const { data } = await getPlant({ baseUrl: 'http://127.0.0.1', fetch });
// This compiles only if the type is Date.
const asDate = (plant: Plant): Date => plant.boughtAt;
console.log(data !== undefined && asDate(data) instanceof Date ? 'a Date' : `a ${typeof data?.boughtAt}`);
TS
cat > make.mjs <<'JS'
import { createClient } from '@hey-api/openapi-ts';

const plugins = ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/transformers'];
for (const [output, sdk] of [['usual', '@hey-api/sdk'], ['asked', { name: '@hey-api/sdk', transformer: true }]])
  await createClient({ input: './contract.yaml', output, plugins: [...plugins, sdk], logs: { level: 'silent' } });
JS
node make.mjs >/dev/null
echo "@hey-api/openapi-ts $(node -p "require('./node_modules/@hey-api/openapi-ts/package.json').version"), node $(node --version)"
seen=
for folder_of in usual asked; do
  sed "s/FOLDER/$folder_of/" run.ts > "$folder_of.ts"
  npx tsc --noEmit --strict --skipLibCheck --types node --target es2022 --module esnext --moduleResolution bundler "$folder_of.ts"
  value=$(npx tsx "$folder_of.ts")
  echo "$folder_of: the type is Date, the value is $value"
  seen="$seen$value;"
done
[ "$seen" = 'a string;a Date;' ]
