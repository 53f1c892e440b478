import { BEARER_TOKEN_CHARACTERS, isBearerToken } from '../../platform/http/bearer-token.ts';
import { newCommand } from '../command.ts';
import { commandConfig } from '../command-backend.ts';
import { EXIT_FAILURE, UsageError } from '../output/command-failure.ts';
import { print, printable } from '../output/text-output.ts';
import type { RequirementResult } from '../sidecar-check/requirement.ts';
import { sidecarTarget, URL_OPTION } from '../sidecar-target.ts';
import { untilSignal } from '../until-signal.ts';

interface Options {
  url?: string;
  token?: string;
  json: boolean;
}

const HELP = `
Each requirement of the contract (docs/sidecar.md) is one line: ok, failed or skipped with the reason.
The command writes samples to a stage with a unique name, conformance-<uuid>, and removes them afterwards.
The history keeps the checks of that stage. An overall check during the run includes its samples.`;

const line = ({ requirement, outcome, reason }: RequirementResult): string =>
  printable(`${outcome.padEnd(7)}  ${requirement.padEnd(22)}  ${reason ?? ''}`.trimEnd());

async function check({ url, token, json }: Options): Promise<void> {
  const { checkConformance } = await import('../sidecar-check/check-conformance.ts');
  // Checked before a request, whose error would quote the token. This message does not, since logs may keep it.
  if (token !== undefined && !isBearerToken(token))
    throw new UsageError(`--token must consist of ${BEARER_TOKEN_CHARACTERS}.`);
  const config = commandConfig();
  const target = await sidecarTarget({ config, url });
  const stopping = new AbortController();
  void untilSignal().then(() => stopping.abort());
  const requirements = await checkConformance({
    sidecar: token === undefined ? target : { ...target, token },
    timeoutMs: config.mlSidecarTimeoutMs,
    signal: stopping.signal,
  });
  const conforms = !stopping.signal.aborted && requirements.every(({ outcome }) => outcome !== 'failed');
  const result = { url: target.url, ok: conforms, requirements };
  print({ json, result, text: requirements.map(line).join('\n') });
  if (!conforms) process.exitCode = EXIT_FAILURE;
}

/** `sidecar check`: checks that a sidecar honours the HTTP contract; exit code 1 if it does not. */
export const sidecarCheck = () =>
  newCommand('check', 'check that a sidecar honours the HTTP contract of the service')
    .option(...URL_OPTION)
    .option(
      '--token <token>',
      'bearer token of the sidecar (default: ML_SIDECAR_TOKEN, which the process list does not show)',
    )
    .addHelpText('after', HELP)
    .action(check);
