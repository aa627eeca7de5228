import { setTimeout as pause } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { Client } from '../../../kit/http/client.js';
import type { Creates, Message, Order } from './other-owner.js';
import { create, urlOf } from './request.js';
import { reasonOf } from './words.js';

const betweenMs = 10;
/** Resolved when the owner is to stop. */
const stops = new Map<number, () => void>();

parentPort?.on('message', ({ id, begin }: Order) => {
  if (begin === undefined) stops.get(id)?.();
  else void work(id, new Client(urlOf(begin.port)), begin.token);
});

async function work(id: number, client: Client, token: string): Promise<void> {
  let stopping = false;
  stops.set(id, () => {
    stopping = true;
  });
  const failed: string[] = [];
  const first = await client.ask(create(0, token)).then(({ status }) => String(status), reasonOf);
  if (first !== '200') failed.push(first);
  tell({ id });
  let [answered, longestMs] = [0, 0];
  for (let plant = 1; !stopping; plant++) {
    const begin = performance.now();
    try {
      const { status } = await client.ask(create(plant, token));
      if (status === 200) answered++;
      else failed.push(String(status));
    } catch (error) {
      failed.push(reasonOf(error));
    }
    longestMs = Math.max(longestMs, performance.now() - begin);
    await pause(betweenMs);
  }
  client.close();
  tell({ id, creates: { answered, failed, longestMs } satisfies Creates });
}

function tell(message: Message): void {
  parentPort?.postMessage(message);
}
