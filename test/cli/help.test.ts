import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { runCommand } from '../support/command.ts';

const commandsOf = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsOf)];

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(await runCommand(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('the help of every command marks the options that it requires', () => {
  const described = commandsOf(buildProgram()).flatMap((command) =>
    command.options
      .filter((option) => option.mandatory)
      .map((option) => command.createHelp().optionDescription(option)),
  );
  expect(described.length).toBeGreaterThan(5);
  for (const description of described) expect(description).toMatch(/ \(required\)$/);
});
