import { spawnSync } from 'node:child_process';

/** True if Python has the package `cryptography`, which `docs/verify.py` needs for Ed25519; check:clients installs it. */
export const HAS_PYTHON_CRYPTOGRAPHY =
  spawnSync('python3', ['-c', 'import cryptography'], { stdio: 'ignore' }).status === 0;
