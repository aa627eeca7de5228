/**
 * Says whether `work` has ended, well or not. Who waits for something that it brings about then waits in vain:
 * `until` would do so for minutes.
 */
export function endOf(work: Promise<unknown> | undefined): () => boolean {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  work?.then(end, end);
  return () => hasEnded;
}
