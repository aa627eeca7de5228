import { setFlagsFromString } from 'node:v8';

// After many connections opened at once, V8 would allocate each request's objects in the old space, and its pauses
// would grow (docs/limits.md, "Overload").
setFlagsFromString('--no-allocation-site-pretenuring');
