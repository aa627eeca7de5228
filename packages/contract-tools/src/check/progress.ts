/** Shows at a terminal what the run tries at the moment, in one line that changes. */
import { visible } from '../../../exact-json/index.js';
import type { ReporterName } from '../base/report/reporter.js';

/** Nobody reads faster. */
const intervalMs = 100;

/** @returns two functions, which do nothing if stderr is not a terminal or if the report is not for people */
export function showProgress(reporter: ReporterName): {
  update: (operation: string, title: string, requests: number) => void;
  end: () => void;
} {
  const { stderr } = process;
  if (reporter !== 'text' || !stderr.isTTY) return { update: () => {}, end: () => {} };
  let last = 0;
  return {
    update(operation, title, requests) {
      if (performance.now() - last < intervalMs) return;
      last = performance.now();
      const line = visible(`${requests} requests  ${operation} ${title}`);
      stderr.write(`\r\u001b[K${line.slice(0, stderr.columns - 1)}`);
    },
    end: () => void stderr.write('\r\u001b[K'),
  };
}
