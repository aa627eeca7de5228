/**
 * Checks the types of the project for `npm run dev`. TypeScript stays in memory: a second check reads only
 * changed files, and checks only what they affect. After a save of the contract, only the files that import
 * generated types are checked at first, which takes about 0.1 s, and the whole project while the developer
 * reads the verdict.
 */
import { statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import ts from 'typescript';
import { projectFolder } from '../project.js';
import { type UnreadParameter, unreadParameters } from './unread-parameters.js';

export interface TypeFault {
  /** `file:line:column`, relative to the working directory. */
  readonly place: string;
  readonly sentence: string;
  /** The first folder of the place, such as `test`. */
  readonly folder: string;
  /** Whether the file is part of the server. */
  readonly ofService: boolean;
}

export class TypeChecker {
  readonly #options: ts.CompilerOptions;
  readonly #host: ts.CompilerHost;
  readonly #files = new Map<string, { modified: number; source: ts.SourceFile | undefined }>();
  #program: ts.Program | undefined;
  #builder: ts.SemanticDiagnosticsBuilderProgram | undefined;

  constructor() {
    // Whole messages, because the sentences of packages/service/src/contract/handler-types/ are at their ends.
    this.#options = { ...readConfiguration().options, noErrorTruncation: true };
    this.#host = ts.createCompilerHost(this.#options);
    const read = this.#host.getSourceFile;
    this.#host.getSourceFile = (file, ...rest) => {
      const modified = modifiedAt(file);
      const known = this.#files.get(file);
      if (known?.modified === modified) return known.source;
      const source = read(file, ...rest);
      // The builder needs `version` to see whether a file has changed. TypeScript's types do not declare it.
      if (source !== undefined) Object.assign(source, { version: String(modified) });
      this.#files.set(file, { modified, source });
      return source;
    };
  }

  /** Finds the type errors in the files that import generated types. */
  checkUsers(): TypeFault[] {
    this.#program = ts.createProgram(readConfiguration().fileNames, this.#options, this.#host, this.#program);
    const program = this.#program;
    return program
      .getSourceFiles()
      .filter(({ fileName, text }) => !fileName.includes('/node_modules/') && usesGenerated.test(text))
      .flatMap((file) => [
        ...[...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
          typeFaultOf,
        ),
        ...unreadParameters(program, [file]).map(unreadFaultOf),
      ]);
  }

  /**
   * Finds all type errors of the project. It checks one file at a time, so that the next save need not wait
   * for the end.
   *
   * @returns undefined if `isOutdated` reports a new save; the next call continues
   */
  async checkAll(isOutdated: () => boolean): Promise<TypeFault[] | undefined> {
    this.#program = ts.createProgram(readConfiguration().fileNames, this.#options, this.#host, this.#program);
    const builder = ts.createSemanticDiagnosticsBuilderProgram(this.#program, this.#host, this.#builder);
    this.#builder = builder;
    while (builder.getSemanticDiagnosticsOfNextAffectedFile() !== undefined) {
      await setImmediate();
      if (isOutdated()) return undefined;
    }
    return [
      ...[...builder.getSyntacticDiagnostics(), ...builder.getSemanticDiagnostics()].map(typeFaultOf),
      ...unreadParameters(this.#program).map(unreadFaultOf),
    ];
  }
}

const usesGenerated = /from '(?:\.\.?\/)+generated\//;

/** Reads the configuration for each check, because a save may add a file. */
function readConfiguration(): ts.ParsedCommandLine {
  const { config } = ts.readConfigFile(join(projectFolder, 'tsconfig.json'), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, projectFolder);
}

/**
 * Returns when a file was changed. It does not ask for installed packages, which stay as they are meanwhile.
 */
function modifiedAt(file: string): number {
  return file.includes('/node_modules/') ? 0 : (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -1);
}

function typeFaultOf({ file, start = 0, messageText, code }: ts.Diagnostic): TypeFault {
  return faultAt(file, start, sentenceOf(ts.flattenDiagnosticMessageText(messageText, '\n'), code));
}

function unreadFaultOf({ file, position, sentence }: UnreadParameter): TypeFault {
  return faultAt(file, position, sentence);
}

function faultAt(file: ts.SourceFile | undefined, start: number, sentence: string): TypeFault {
  const { line, character } = file?.getLineAndCharacterOfPosition(start) ?? { line: 0, character: 0 };
  const name = file?.fileName ?? 'tsconfig.json';
  const [folder = ''] = relative(projectFolder, name).split(sep);
  return {
    place: `${relative(process.cwd(), name)}:${line + 1}:${character + 1}`,
    sentence,
    folder,
    ofService: !['scripts', 'test', 'examples'].includes(folder) && !name.includes('/test/'),
  };
}

/** A sentence of packages/service/src/contract/handler-types/ if there is one, else TypeScript's first and last line. */
function sentenceOf(message: string, code: number): string {
  const lines = message.split('\n').map((line) => line.trim());
  // Short text: it is a line of the compiler.
  const sentences = Array.from((lines.at(-1) ?? '').matchAll(/"((?:[^"\\]|\\.)+\.)"/g), ([, text = '']) =>
    text.replaceAll('\\"', '"'),
  );
  if (sentences.length > 0) return [...new Set(sentences)].join(' ');
  return `${[...new Set([lines[0], lines.at(-1)])].join(' … ')} (TS${code})`;
}
