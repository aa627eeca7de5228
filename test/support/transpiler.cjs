/**
 * What tap compiles TypeScript with, by tsconfig.tap.json: TypeScript's own transpileModule, as without it, but
 * each file once, and not once in each of seventy test processes: that took a third of the time of `npm test`.
 */
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const { version } = require('typescript/package.json');

const folder = join(__dirname, '..', '..', '.tap', 'transpiled');

exports.create = ({ service: { config } }) => {
  // All that the output depends on, beside the file itself. The project has ES modules only.
  const compilerOptions = { ...config.options, module: 'esnext', sourceMap: true, inlineSources: true };
  const circumstances = JSON.stringify([version, compilerOptions]);
  mkdirSync(folder, { recursive: true });
  return {
    transpile(text, { fileName }) {
      const key = createHash('sha256').update(`${circumstances}\n${fileName}\n${text}`).digest('hex');
      const file = join(folder, `${basename(fileName)}.${key}.json`);
      try {
        return JSON.parse(readFileSync(file, 'utf8'));
      } catch {
        const output = transpile(text, fileName, compilerOptions);
        // Other processes see the whole file, or none.
        writeFileSync(`${file}.${process.pid}`, JSON.stringify(output));
        renameSync(`${file}.${process.pid}`, file);
        return output;
      }
    },
  };
};

function transpile(text, fileName, options) {
  // Here, since loading it takes half a second.
  const ts = require('typescript');
  const compilerOptions = { ...options, module: ts.ModuleKind.ESNext };
  const { outputText, sourceMapText } = ts.transpileModule(text, { fileName, compilerOptions });
  return { outputText, sourceMapText };
}
