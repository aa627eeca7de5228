/** RFC 7396, section 2: the function MergePatch. */
import { isMembers, type Members } from './values.js';

export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMembers(patch)) return patch;
  const merged = new Map(isMembers(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  const members: Members = Object.fromEntries(merged);
  return members;
}
