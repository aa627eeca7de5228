/**
 * What the service is to reach, as ratios of figures of the same round if that is possible. Every goal is met
 * or being worked on. A goal that is given up leaves this list, and docs/benchmarks.md says why.
 */
import { atLeast, atMost, figureAtMost, type Goal } from './goal.js';

const million = 1_000_000;
const byHand = 'fastify-by-hand';
const goBare = 'go-bare';
const kinds = ['creates-beside-peers', 'deletes-beside-peers', 'pages-beside-peers'];

const alone = kinds.flatMap((kind) => [1, 4].map((at) => atLeast(0.95, kind, byHand, at)));
const many = kinds.flatMap((kind) => [
  atLeast(1.3, kind, byHand, 16),
  ...[64, 256, 1_000].flatMap((at) => [atLeast(1.8, kind, byHand, at), atLeast(1.4, kind, goBare, at)]),
]);
const dailyLife = [16, 64, 256, 1_000].map((at) => atLeast(1.2, 'mix-beside-peers', byHand, at));

const costs = [
  atMost(1.15, 'cpu', byHand, 1),
  atMost(0.5, 'cpu', byHand, 64),
  atMost(1.25, 'rest', byHand),
  atMost(1.8, 'start', byHand),
];

const lists = [
  atMost(1.5, 'list', 'copy', million),
  figureAtMost(20, 'ms', 'the first byte of a million plants', 'list-first-byte', million),
  figureAtMost(48, 'MB', 'memory above idle, 10 million listed', 'list-by-size-memory', 10 * million),
];

const shares = [
  figureAtMost(50, 'ms', "a quiet owner's create beside 500 connections, median", 'quiet-p50', 500),
  figureAtMost(250, 'ms', "a quiet owner's create beside 500 connections, p99", 'quiet-p99', 500),
  figureAtMost(3_000, 'ms', 'accepted creates at 4,000 a second, p99', 'overload-accepted-p99', 4_000),
  figureAtMost(250, 'ms', '/live at 4,000 creates a second, p99', 'overload-live-p99', 4_000),
];

export const goals: readonly Goal[] = [...alone, ...many, ...dailyLife, ...costs, ...lists, ...shares];
