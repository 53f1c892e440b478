import mongoose from 'mongoose';
import { watchConnections } from './watch-connections.ts';

watchConnections(mongoose);

export default mongoose;
