#!/usr/bin/env node
import '../new-resource/new-resource-command.js';
