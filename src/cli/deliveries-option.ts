import { Option } from 'commander';
import { DELIVERY_POLICIES } from '../features/erasure/erasure.types.ts';

/** The option `--deliveries` of commands that erase. */
export const deliveriesOption = () =>
  new Option('--deliveries <policy>', 'what happens to deliveries that are on their way')
    .choices(DELIVERY_POLICIES)
    .default('cancel');
