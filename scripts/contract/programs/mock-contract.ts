#!/usr/bin/env node
import { mockCommand } from '../mock/command.js';
import { program } from './program.js';

process.exitCode = await mockCommand(process.argv.slice(2), process.env, program('mock-contract'));
