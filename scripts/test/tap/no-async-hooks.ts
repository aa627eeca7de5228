/** Takes the place of the package async-hook-domain in tap: see index.ts. */
export class Domain {
  readonly onerror: (error: unknown, type: string) => void;

  constructor(onerror: (error: unknown, type: string) => void) {
    this.onerror = onerror;
  }

  destroy(): void {}
}
