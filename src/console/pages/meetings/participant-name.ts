export interface MeetingParticipant {
  name: string;
  email?: string | null;
}

/** Returns the name of a participant, or else the email address. */
export const participantName = ({ name, email }: MeetingParticipant): string =>
  name || email || 'Unknown participant';
