/** Shows at a terminal what the run tries at the moment. */
import type { ReporterName } from '../../kit/report/reporter.js';

/** So many milliseconds lie between two lines, because nobody reads faster. */
const interval = 100;

/** One line that changes, on a terminal, for people. */
export function showProgress(reporter: ReporterName): {
  update: (operation: string, title: string, requests: number) => void;
  end: () => void;
} {
  const { stderr } = process;
  if (reporter !== 'text' || !stderr.isTTY) return { update: () => {}, end: () => {} };
  let last = 0;
  return {
    update(operation, title, requests) {
      if (performance.now() - last < interval) return;
      last = performance.now();
      const line = `${requests} requests  ${operation} ${title}`;
      stderr.write(`\r\u001b[K${line.slice(0, stderr.columns - 1)}`);
    },
    end: () => void stderr.write('\r\u001b[K'),
  };
}
