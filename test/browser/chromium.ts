import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { Test } from 'tap';
import { projectFolder, temporaryFolder } from '../../packages/kit/index.js';

/** The manifest beside this file installs what drives a browser, which no other test needs. */
export const packages = join(projectFolder, 'test', 'browser', 'node_modules');

const executable = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** The reason to skip tests with a browser on this machine; false if they can run. */
export const withoutBrowser =
  (executable === undefined && 'chromium is not installed, and CHROMIUM names no browser') ||
  (!existsSync(packages) && 'playwright is not installed (`npm ci --prefix test/browser`)');

/** Starts Debian's Chromium, or the one in the variable CHROMIUM, until the test ends. */
export async function launchBrowser(t: Pick<Test, 'teardown'>): Promise<Browser> {
  if (executable === undefined) throw new Error('This test should have been skipped.');
  // The browser makes sockets in the folder of its profile, so TMPDIR must be short.
  process.env['TMPDIR'] = temporaryFolder;
  // Loaded here, because it is missing if the tests are skipped.
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: executable,
    args: [
      // Chromium has no sandbox for root, which CI runs as; the pages are our own.
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
