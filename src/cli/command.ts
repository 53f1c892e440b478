import { Command, Help, type Option } from 'commander';

/** Describes an option in the help, and marks one that the command does not run without. */
const optionDescription = (option: Option): string =>
  `${new Help().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`;

/** Creates a command that prints lines and has no `--json`. It throws usage errors instead of ending the process. */
export const newLinesCommand = (name: string, description: string): Command =>
  new Command(name).description(description).configureHelp({ optionDescription }).exitOverride();

/** Creates a command with the option `--json`. */
export const newCommand = (name: string, description: string): Command =>
  newLinesCommand(name, description).option('--json', 'print one JSON document on stdout', false);

/** Creates a command that only contains subcommands. */
export const newGroup = (name: string, description: string, commands: Command[]): Command => {
  const group = new Command(name).description(description).exitOverride();
  for (const command of commands) group.addCommand(command);
  return group;
};
