#!/usr/bin/env node
import { checkCommand } from '../check/check-command.js';
import { program } from './program.js';

process.exitCode = await checkCommand(process.argv.slice(2), process.env, program('check-contract'));
