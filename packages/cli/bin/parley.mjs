#!/usr/bin/env node
// The command itself is compiled; this file is here for npm to link before anything has been.
import "../dist/main.js";
