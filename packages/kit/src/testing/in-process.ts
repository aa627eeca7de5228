import type { Test } from 'tap';

/** How a command ended: its exit code, and all that it printed. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command in this process, which takes a tenth of what its start would take.
 *
 * @param command resolves with the exit code
 * @returns the exit code, and what it printed through `console`
 */
export async function inProcess(t: Test, command: () => Promise<number>): Promise<Ended> {
  const [out, err] = [t.capture(console, 'log'), t.capture(console, 'error')];
  try {
    const code = await command();
    return { code, out: textOf(out()), err: textOf(err()) };
  } finally {
    out.restore();
    err.restore();
  }
}

function textOf(calls: readonly { readonly args: readonly unknown[] }[]): string {
  return calls.map(({ args }) => `${args.join(' ')}\n`).join('');
}
