#!/usr/bin/env node
import '../dev/dev-command.js';
