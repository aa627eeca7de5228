/**
 * Time, as queues and batches see it. Their tests have a clock of their own, so that seconds pass at once, and no
 * test depends on how busy the machine is.
 */
export interface Clock {
  /** @returns milliseconds, from any moment on */
  now(): number;
  /** Calls the function once, after so many milliseconds. @returns a function that prevents it */
  after(milliseconds: number, call: () => void): () => void;
  /** Calls the function again and again. This keeps no process alive. @returns a function that ends it */
  every(milliseconds: number, call: () => void): () => void;
}

/** The clock of the process: its milliseconds are those of performance.now(). */
export const processClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
  every(milliseconds, call) {
    const timer = setInterval(call, milliseconds).unref();
    return () => clearInterval(timer);
  },
};
