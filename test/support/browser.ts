import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import type { Test } from 'tap';
import { temporaryFolder } from './process.js';

const executable = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Why tests with a browser are skipped on this machine; false if they are not. */
export const withoutBrowser =
  executable === undefined && 'chromium is not installed, and CHROMIUM names no browser';

/** A real browser, Debian's Chromium or the one that the variable CHROMIUM names, until the test ends. */
export async function launchBrowser(t: Pick<Test, 'teardown'>): Promise<Browser> {
  if (executable === undefined) throw new Error('This test should have been skipped.');
  // The path of a profile, which playwright makes here, is that of a socket, too.
  process.env['TMPDIR'] = temporaryFolder;
  const browser = await chromium.launch({
    executablePath: executable,
    args: [
      // Root, as whom CI runs, gets no sandbox; the pages are our own.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  t.teardown(() => browser.close());
  return browser;
}
