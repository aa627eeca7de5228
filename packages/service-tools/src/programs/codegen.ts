#!/usr/bin/env node
import { codegen } from '../codegen/codegen-command.js';

process.exitCode = await codegen(process.argv.slice(2));
