#!/usr/bin/env node
import { program } from '../../contract-tools/index.js';
import { mockCommand } from './mock-command.js';

process.exitCode = await mockCommand(process.argv.slice(2), process.env, program('mock-contract'));
