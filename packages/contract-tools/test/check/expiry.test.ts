import t from 'tap';
import { soonEndOf } from '../../src/check/resources/expiry.js';
import { Markers } from '../../src/check/resources/markers.js';
import { OwnItems } from '../../src/check/resources/own-items.js';
import type { ValueObject } from '../../src/values/json.js';

/** That an item may end at a moment of the next minutes that its server has named, and at no other one. */

const minute = 60_000;
/** A header has whole seconds. */
const now = Math.floor(Date.now() / 1_000) * 1_000;
const at = (time: number): string => new Date(time).toISOString();

/** @param clock the time on the clock of the server */
function endOf(sent: ValueObject, shown: ValueObject, clock = now) {
  const headers = [['Date', new Date(clock).toUTCString()] as const];
  const answer = { status: 201, headers, body: Buffer.alloc(0), faults: [], reusable: true };
  return soonEndOf(sent, now, shown, answer);
}

t.test('a moment of the next minutes is the end of an item, by the clock of the server', async (t) => {
  const shown = { made_at: at(now), confirm_by: at(now + minute), text: 'a', count: 1n };
  t.equal(endOf({}, shown)?.member, 'confirm_by');
  t.equal(endOf({ confirm_by: 'any' }, shown), undefined, 'what was sent says nothing');
  t.equal(endOf({}, { until: at(now + 60 * minute) }), undefined, 'a run is over by then');
  t.equal(endOf({}, { until: at(now + minute) }, now + minute), undefined, 'the clock is ahead');
  const ahead = endOf({}, { ...shown, confirm_by: at(now + 3 * minute) }, now + minute);
  t.equal(ahead?.at, now + 2 * minute - 1_000, 'it is a time of our clock, and not too late');
  const late = endOf({}, { confirm_by: at(now + minute) }, now - minute);
  t.equal(late?.at, now + minute, 'an old Date makes it no later than it says');
});

t.test('an item may have ended a second before its moment', async (t) => {
  const own = new OwnItems(new Markers([], []));
  own.add({ owner: 'first', id: 1n, content: {}, created: true });
  t.notOk(own.mayHaveEnded({ owner: 'first', id: 1n }));
  own.add({ owner: 'first', id: 2n, content: {}, created: true, endsAt: Date.now() + 500 });
  t.ok(own.mayHaveEnded({ owner: 'first', id: 2n }));
  own.add({ owner: 'first', id: 3n, content: {}, created: true, endsAt: Date.now() + minute });
  t.notOk(own.mayHaveEnded({ owner: 'first', id: 3n }));
});
