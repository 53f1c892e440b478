import './csp-nonce.ts';
import './mantine-styles.ts';
import '@mantine/notifications/styles.css';
import './console.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
