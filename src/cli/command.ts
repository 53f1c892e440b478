import { Command } from 'commander';

/** A command with what all of them share: `--json`, and errors that are thrown instead of ending the process. */
export const newCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .option('--json', 'print one JSON document on stdout and nothing else', false)
    .exitOverride();

/** A command that only holds others. */
export const newGroup = (name: string, description: string, commands: Command[]): Command => {
  const group = new Command(name).description(description).exitOverride();
  for (const command of commands) group.addCommand(command);
  return group;
};
