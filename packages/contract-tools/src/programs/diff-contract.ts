#!/usr/bin/env node
import { diffContract } from '../diff/diff-command.js';
import { program } from './program.js';

process.exitCode = await diffContract(process.argv.slice(2), program('diff-contract'));
