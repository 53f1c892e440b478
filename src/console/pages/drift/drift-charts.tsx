import { lazyChart } from '../../components/lazy-chart.tsx';

export const ScoreChart = lazyChart(() => import('./score-chart.tsx'), 260);
export const BinChart = lazyChart(() => import('./bin-chart.tsx'), 300);
