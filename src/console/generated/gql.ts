/* eslint-disable */
import * as types from './graphql.ts';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query TenantOptions($first: Int!) {\n    tenants(first: $first) {\n      edges {\n        node {\n          customerId\n          name\n        }\n      }\n    }\n  }\n": typeof types.TenantOptionsDocument,
    "\n  query CustomerName {\n    viewer {\n      tenant {\n        name\n      }\n    }\n  }\n": typeof types.CustomerNameDocument,
    "\n  query AuditLog($after: String, $action: String) {\n    auditLog(first: 50, after: $after, action: $action) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          id\n          at\n          action\n          actor {\n            type\n            id\n            name\n            prefix\n          }\n          clientAddress\n          target {\n            type\n            id\n          }\n          outcome\n          count\n          before\n          after\n        }\n      }\n    }\n  }\n": typeof types.AuditLogDocument,
    "\n  mutation CloseConversation($id: ID!) {\n    closeConversation(conversationId: $id) {\n      id\n    }\n  }\n": typeof types.CloseConversationDocument,
    "\n  mutation MarkOutcome($id: ID!, $category: String) {\n    markOutcome(conversationId: $id, category: $category) {\n      id\n    }\n  }\n": typeof types.MarkOutcomeDocument,
    "\n  query RecentOutcomes {\n    conversations(first: 100) {\n      edges {\n        node {\n          outcome {\n            category\n          }\n        }\n      }\n    }\n  }\n": typeof types.RecentOutcomesDocument,
    "\n  query ConversationPayloads($id: ID!) {\n    conversation(id: $id) {\n      events {\n        id\n        payload\n      }\n    }\n  }\n": typeof types.ConversationPayloadsDocument,
    "\n  query Transcript($id: ID!, $first: Int!, $after: String) {\n    conversation(id: $id) {\n      transcript(first: $first, after: $after) {\n        pageInfo {\n          endCursor\n        }\n        edges {\n          node {\n            id\n            role\n            text\n            sentAt\n          }\n        }\n      }\n    }\n  }\n": typeof types.TranscriptDocument,
    "\n  query Conversation($id: ID!) {\n    conversation(id: $id) {\n      id\n      visitorId\n      status\n      converted\n      goal\n      startedAt\n      endedAt\n      messageCount\n      identity {\n        resolvedPersonId\n        firstName\n        lastName\n        email\n        company\n        jobTitle\n      }\n      outcome {\n        category\n        markedAt\n      }\n      conversions {\n        id\n        type\n        goal\n        value\n        recordedAt\n      }\n      resolutions {\n        id\n        resolvedPersonId\n        resolvedCompany\n        recordedAt\n      }\n      handoffs {\n        id\n        schemaName\n        urgency\n        reason\n        requestedAt\n      }\n      events {\n        id\n        event\n        createdAt\n      }\n    }\n  }\n": typeof types.ConversationDocument,
    "\n  subscription ConversationChange($id: ID!) {\n    conversationUpdated(id: $id) {\n      id\n    }\n  }\n": typeof types.ConversationChangeDocument,
    "\n  query Conversations(\n    $after: String\n    $status: ConversationStatus\n    $converted: Boolean\n    $since: DateTime\n    $text: String\n    $email: String\n    $visitorId: String\n    $resolvedPersonId: String\n    $company: String\n  ) {\n    conversations(\n      first: 50\n      after: $after\n      status: $status\n      converted: $converted\n      since: $since\n      text: $text\n      email: $email\n      visitorId: $visitorId\n      resolvedPersonId: $resolvedPersonId\n      company: $company\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          id\n          visitorId\n          status\n          converted\n          goal\n          startedAt\n          messageCount\n          identity {\n            firstName\n            lastName\n            email\n            company\n            resolvedPersonId\n          }\n          outcome {\n            category\n          }\n        }\n      }\n    }\n  }\n": typeof types.ConversationsDocument,
    "\n  subscription ConversationChanges {\n    conversationUpdated {\n      id\n      visitorId\n      status\n      converted\n      goal\n      startedAt\n      messageCount\n      identity {\n        firstName\n        lastName\n        email\n        company\n        resolvedPersonId\n      }\n      outcome {\n        category\n      }\n    }\n  }\n": typeof types.ConversationChangesDocument,
    "\n  mutation CreateTenant($input: CreateTenantInput!) {\n    createTenant(input: $input) {\n      customerId\n    }\n  }\n": typeof types.CreateTenantDocument,
    "\n  mutation CreateApiKey($input: CreateApiKeyInput!) {\n    createApiKey(input: $input) {\n      key\n      apiKey {\n        id\n      }\n    }\n  }\n": typeof types.CreateApiKeyDocument,
    "\n  query CustomerHealth($since: DateTime!) {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          enabled\n          disabledReason\n          circuit {\n            state\n          }\n        }\n      }\n    }\n    webhookDeliveries(first: 1, status: failed, since: $since) {\n      edges {\n        node {\n          id\n        }\n      }\n    }\n  }\n": typeof types.CustomerHealthDocument,
    "\n  query Tenants($after: String) {\n    tenants(first: 50, after: $after) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          customerId\n          orgId\n          name\n          createdAt\n          suspendedAt\n          deletionStartedAt\n        }\n      }\n    }\n  }\n": typeof types.TenantsDocument,
    "\n  mutation DeleteTenant($customerId: Int!, $input: DeleteTenantInput!) {\n    deleteTenant(customerId: $customerId, input: $input) {\n      id\n    }\n  }\n": typeof types.DeleteTenantDocument,
    "\n  query TenantDeletion($customerId: Int!) {\n    tenantDeletion(customerId: $customerId) {\n      status\n      dryRun\n      error\n      counts {\n        collection\n        count\n      }\n    }\n  }\n": typeof types.TenantDeletionDocument,
    "\n  mutation RevokeApiKey($id: ID!) {\n    revokeApiKey(id: $id) {\n      id\n    }\n  }\n": typeof types.RevokeApiKeyDocument,
    "\n  query ApiKeys($after: String, $text: String, $scope: KeyScope, $state: KeyState, $customerId: Int) {\n    apiKeys(\n      first: 50\n      after: $after\n      text: $text\n      scope: $scope\n      state: $state\n      customerId: $customerId\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          id\n          name\n          state\n          scope\n          resources\n          networks\n          customerId\n          prefix\n          createdAt\n          expiresAt\n          expiresSoon\n          lastUsedAt\n          lastUsedAddress\n          revokedAt\n        }\n      }\n    }\n  }\n": typeof types.ApiKeysDocument,
    "\n  mutation RotateApiKey($id: ID!, $overlapSeconds: Int!) {\n    rotateApiKey(id: $id, overlapSeconds: $overlapSeconds) {\n      key\n    }\n  }\n": typeof types.RotateApiKeyDocument,
    "\n  mutation SuspendTenant($customerId: Int!) {\n    suspendTenant(customerId: $customerId) {\n      customerId\n    }\n  }\n": typeof types.SuspendTenantDocument,
    "\n  mutation ResumeTenant($customerId: Int!) {\n    resumeTenant(customerId: $customerId) {\n      customerId\n    }\n  }\n": typeof types.ResumeTenantDocument,
    "\n  query DriftAlerts($model: String, $stage: String) {\n    active: driftAlerts(model: $model, stage: $stage, status: active) {\n      ...DriftAlertDetails\n    }\n    acknowledged: driftAlerts(model: $model, stage: $stage, status: acknowledged) {\n      ...DriftAlertDetails\n    }\n    cleared: driftAlerts(model: $model, stage: $stage, status: cleared, limit: 20) {\n      ...DriftAlertDetails\n    }\n  }\n  fragment DriftAlertDetails on DriftAlert {\n    id\n    scope\n    stage\n    feature\n    status\n    since\n    clearedAt\n    score\n    threshold\n    features {\n      feature\n      score\n      threshold\n      bin {\n        lower\n        upper\n        category\n        missing\n      }\n      exampleIds\n    }\n    acknowledgement {\n      note\n      until\n      at\n    }\n  }\n": typeof types.DriftAlertsDocument,
    "\n  mutation AcknowledgeDriftAlert($id: ID!, $note: String!, $until: DateTime) {\n    acknowledgeDriftAlert(id: $id, note: $note, until: $until) {\n      id\n    }\n  }\n": typeof types.AcknowledgeDriftAlertDocument,
    "\n  mutation WithdrawDriftAcknowledgement($id: ID!) {\n    withdrawDriftAcknowledgement(id: $id) {\n      id\n    }\n  }\n": typeof types.WithdrawDriftAcknowledgementDocument,
    "\n  mutation CheckDrift($stage: String, $model: String) {\n    triggerDriftCheck(stage: $stage, model: $model) {\n      success\n    }\n  }\n": typeof types.CheckDriftDocument,
    "\n  query DriftStatus($stage: String, $model: String) {\n    driftStatus(stage: $stage, model: $model) {\n      isDrifted\n      driftScore\n      threshold\n      method\n      lastChecked\n      insufficientData\n      components {\n        features\n        prediction\n        outcome\n      }\n      componentDetails {\n        features {\n          ...ComponentDetail\n        }\n        prediction {\n          ...ComponentDetail\n        }\n        outcome {\n          ...ComponentDetail\n        }\n      }\n      rows {\n        reference\n        current\n      }\n      featureDrifts {\n        feature\n        score\n        drifted\n        insufficientData\n        type\n        weight\n        threshold\n        noise\n        significant\n        rowsNeeded\n        noData\n        missing {\n          reference\n          current\n        }\n        newCategoryShare\n        newCategories {\n          count\n        }\n        vanishedCategories {\n          count\n        }\n      }\n    }\n  }\n  fragment ComponentDetail on DriftComponentDetail {\n    noise\n    significant\n    rowsNeeded\n    coverage {\n      reference\n      current\n    }\n  }\n": typeof types.DriftStatusDocument,
    "\n  query DriftStages($model: String) {\n    driftStages(model: $model) {\n      stage\n    }\n  }\n": typeof types.DriftStagesDocument,
    "\n  query DriftHistory($stage: String, $overall: Boolean, $feature: String, $model: String) {\n    driftHistory(stage: $stage, overall: $overall, feature: $feature, model: $model, limit: 200) {\n      id\n      driftScore\n      isDrifted\n      insufficientData\n      checkedAt\n      components {\n        features\n        prediction\n        outcome\n      }\n      rows {\n        reference\n        current\n      }\n      featureScore\n    }\n  }\n": typeof types.DriftHistoryDocument,
    "\n  query DriftFeature($feature: String!, $stage: String, $model: String) {\n    driftFeature(feature: $feature, stage: $stage, model: $model) {\n      score\n      driftedSince\n      drifted\n      insufficientData\n      type\n      weight\n      threshold\n      noise\n      significant\n      rowsNeeded\n      noData\n      jensenShannon\n      wasserstein\n      outOfRange\n      rows {\n        reference\n        current\n      }\n      missing {\n        reference\n        current\n      }\n      coverage {\n        reference\n        current\n      }\n      newCategoryShare\n      newCategories {\n        count\n        names\n      }\n      vanishedCategories {\n        count\n        names\n      }\n      bins {\n        lower\n        upper\n        category\n        missing\n        reference {\n          count\n          share\n        }\n        current {\n          count\n          share\n        }\n        contribution\n      }\n      otherCategories {\n        count\n        contribution\n      }\n    }\n  }\n": typeof types.DriftFeatureDocument,
    "\n  query DriftMutes($model: String) {\n    driftMutes(model: $model) {\n      id\n      stage\n      feature\n      note\n      until\n    }\n  }\n": typeof types.DriftMutesDocument,
    "\n  mutation MuteDriftFeature($feature: String!, $model: String, $stage: String, $note: String, $until: DateTime) {\n    muteDriftFeature(feature: $feature, model: $model, stage: $stage, note: $note, until: $until) {\n      id\n    }\n  }\n": typeof types.MuteDriftFeatureDocument,
    "\n  mutation UnmuteDriftFeature($feature: String!, $model: String, $stage: String) {\n    unmuteDriftFeature(feature: $feature, model: $model, stage: $stage) {\n      id\n    }\n  }\n": typeof types.UnmuteDriftFeatureDocument,
    "\n  query DriftFeatureSettings($model: String) {\n    driftFeatureSettings(model: $model) {\n      feature\n      weight\n      threshold\n    }\n  }\n": typeof types.DriftFeatureSettingsDocument,
    "\n  mutation SetDriftFeatureSettings($features: [DriftFeatureSettingInput!]!, $model: String) {\n    setDriftFeatureSettings(features: $features, model: $model) {\n      feature\n    }\n  }\n": typeof types.SetDriftFeatureSettingsDocument,
    "\n  query DriftModels {\n    driftModels\n  }\n": typeof types.DriftModelsDocument,
    "\n  query DriftPerformance($stage: String, $model: String) {\n    driftPerformance(stage: $stage, model: $model) {\n      isProbabilistic\n      weeks {\n        week\n        rows\n        outcomes\n        calibrationError\n        auc\n        accuracy\n        estimatedAccuracy\n      }\n    }\n  }\n": typeof types.DriftPerformanceDocument,
    "\n  query DriftPlannedChanges($model: String, $stage: String) {\n    driftPlannedChanges(model: $model, stage: $stage, limit: 200) {\n      id\n      stage\n      type\n      title\n      note\n      startsAt\n      endsAt\n    }\n  }\n": typeof types.DriftPlannedChangesDocument,
    "\n  mutation CreateDriftPlannedChange(\n    $type: DriftPlannedChangeType!\n    $title: String!\n    $startsAt: DateTime!\n    $endsAt: DateTime\n    $note: String\n    $model: String\n    $stage: String\n  ) {\n    createDriftPlannedChange(\n      type: $type\n      title: $title\n      startsAt: $startsAt\n      endsAt: $endsAt\n      note: $note\n      model: $model\n      stage: $stage\n    ) {\n      id\n    }\n  }\n": typeof types.CreateDriftPlannedChangeDocument,
    "\n  mutation DeleteDriftPlannedChange($id: ID!) {\n    deleteDriftPlannedChange(id: $id) {\n      id\n    }\n  }\n": typeof types.DeleteDriftPlannedChangeDocument,
    "\n  mutation DisconnectRecorder {\n    disconnectRecorder\n  }\n": typeof types.DisconnectRecorderDocument,
    "\n  mutation ConnectRecorder($apiKey: String!) {\n    connectRecorder(apiKey: $apiKey) {\n      status\n    }\n  }\n": typeof types.ConnectRecorderDocument,
    "\n  subscription SyncProgress {\n    meetingSyncProgress {\n      ...SyncRun\n    }\n  }\n": typeof types.SyncProgressDocument,
    "\n  query RecorderWebhook {\n    recorderWebhook {\n      path\n      hasSecret\n    }\n  }\n": typeof types.RecorderWebhookDocument,
    "\n  mutation RotateRecorderWebhook {\n    rotateRecorderWebhook {\n      path\n    }\n  }\n": typeof types.RotateRecorderWebhookDocument,
    "\n  mutation SetRecorderWebhookSecret($secret: String) {\n    setRecorderWebhookSecret(secret: $secret) {\n      hasSecret\n    }\n  }\n": typeof types.SetRecorderWebhookSecretDocument,
    "\n  query Meeting($id: String!) {\n    meeting(recorderMeetingId: $id) {\n      recorderMeetingId\n      title\n      startedAt\n      endedAt\n      participantsJson {\n        name\n        email\n        role\n      }\n      summaryText\n      sentimentScore\n      storedAt\n      deletedAt\n      warnings {\n        path\n        reason\n      }\n    }\n  }\n": typeof types.MeetingDocument,
    "\n  query MeetingTranscript($id: String!) {\n    meeting(recorderMeetingId: $id) {\n      transcriptJson {\n        speaker\n        text\n        startTime\n        endTime\n      }\n    }\n  }\n": typeof types.MeetingTranscriptDocument,
    "\n  query MeetingActivities($after: String, $personExternalId: String) {\n    meetingActivities(first: 50, after: $after, personExternalId: $personExternalId) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          externalId\n          occurredAt\n          personExternalId\n          properties\n        }\n      }\n    }\n  }\n": typeof types.MeetingActivitiesDocument,
    "\n  query Meetings($after: String, $since: DateTime, $search: String, $includeDeleted: Boolean) {\n    meetings(first: 50, after: $after, since: $since, search: $search, includeDeleted: $includeDeleted) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          recorderMeetingId\n          title\n          startedAt\n          endedAt\n          storedAt\n          deletedAt\n          participantsJson {\n            name\n            email\n          }\n        }\n      }\n    }\n  }\n": typeof types.MeetingsDocument,
    "\n  query MeetingSearch($query: String!, $since: DateTime, $after: String) {\n    meetingSearch(first: 20, after: $after, query: $query, since: $since) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          meeting {\n            recorderMeetingId\n            title\n            startedAt\n          }\n          matches {\n            field\n            snippet\n            highlights {\n              start\n              end\n            }\n            segment {\n              index\n              speaker\n              startTime\n            }\n          }\n        }\n      }\n    }\n  }\n": typeof types.MeetingSearchDocument,
    "\n  query MeetingSearchBacklog {\n    meetingSearchBacklog\n  }\n": typeof types.MeetingSearchBacklogDocument,
    "\n  query FieldMapping {\n    recorderFieldMapping {\n      sourceField: sourcePointer\n      targetField\n      transform\n      required\n    }\n  }\n": typeof types.FieldMappingDocument,
    "\n  mutation UpdateFieldMapping($mappings: [FieldMappingInput!]!) {\n    updateRecorderFieldMapping(mappings: $mappings) {\n      sourceField: sourcePointer\n      targetField\n      transform\n      required\n    }\n  }\n": typeof types.UpdateFieldMappingDocument,
    "\n  query MappingPreview($mappings: [FieldMappingInput!]!, $id: String) {\n    recorderFieldMappingPreview(mappings: $mappings, recorderMeetingId: $id) {\n      recorderMeetingId\n      hasRecord\n      fields {\n        sourcePointer\n        targetField\n        value\n        warnings\n      }\n      activity {\n        externalId\n        properties\n      }\n    }\n  }\n": typeof types.MappingPreviewDocument,
    "\n  query Reprojection {\n    activityReprojection {\n      status\n      total\n      done\n      withoutRecord\n      skipped\n      finishedAt\n      estimatedRemainingSeconds\n    }\n  }\n": typeof types.ReprojectionDocument,
    "\n  query SyncLog($id: ID!, $after: String) {\n    meetingSyncRun(id: $id) {\n      log(first: 50, after: $after) {\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n        edges {\n          cursor\n          node {\n            at\n            type\n            page\n            count\n            durationMs\n            detail\n          }\n        }\n      }\n    }\n  }\n": typeof types.SyncLogDocument,
    "\n  query SyncRunDetails($id: ID!) {\n    meetingSyncRun(id: $id) {\n      ...SyncRun\n    }\n  }\n": typeof types.SyncRunDetailsDocument,
    "\n  mutation SyncMeetings($since: DateTime, $until: DateTime, $fullResync: Boolean) {\n    syncMeetings(since: $since, until: $until, fullResync: $fullResync) {\n      id\n    }\n  }\n": typeof types.SyncMeetingsDocument,
    "\n  mutation CancelMeetingSync {\n    cancelMeetingSync {\n      id\n    }\n  }\n": typeof types.CancelMeetingSyncDocument,
    "\n  mutation PauseMeetingSync {\n    pauseMeetingSync {\n      id\n    }\n  }\n": typeof types.PauseMeetingSyncDocument,
    "\n  mutation ResumeMeetingSync {\n    resumeMeetingSync {\n      id\n    }\n  }\n": typeof types.ResumeMeetingSyncDocument,
    "\n  query SyncRuns($after: String) {\n    meetingSyncRuns(first: 10, after: $after) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          ...SyncRun\n        }\n      }\n    }\n  }\n": typeof types.SyncRunsDocument,
    "\n  query Recorder {\n    recorderConnection {\n      ...Connection\n    }\n  }\n  fragment Connection on RecorderConnection {\n    status\n    connectedAt\n    lastSyncAt\n    nextSyncAt\n    lastRun {\n      ...SyncRun\n    }\n  }\n  fragment SyncRun on MeetingSyncRun {\n    id\n    status\n    scope\n    since\n    until\n    startedAt\n    finishedAt\n    pages\n    fetched\n    stored\n    updated\n    unchanged\n    rejected\n    warnings\n    warningDetails {\n      meeting\n      path\n      reason\n    }\n    skipped\n    suppressed\n    rateLimited\n    oldestMeetingAt\n    meetingsPerMinute\n    estimatedRemainingSeconds\n    error {\n      code\n      message\n    }\n  }\n": typeof types.RecorderDocument,
    "\n  query Health {\n    health {\n      status\n      version\n      uptimeSeconds\n      database {\n        status\n        latencyMs\n      }\n      sidecar {\n        status\n        latencyMs\n        modelVersion\n      }\n      jobs {\n        status\n        lastRunAt\n      }\n      auditLog {\n        status\n      }\n      encryption {\n        status\n      }\n      outboundProxy {\n        status\n        error\n      }\n    }\n  }\n": typeof types.HealthDocument,
    "\n  query HandedOffConversations {\n    conversations(first: 50, status: handed_off) {\n      pageInfo {\n        hasNextPage\n      }\n      edges {\n        node {\n          id\n          visitorId\n          identity {\n            firstName\n            lastName\n            email\n          }\n          handoffs {\n            id\n            urgency\n            requestedAt\n          }\n        }\n      }\n    }\n  }\n": typeof types.HandedOffConversationsDocument,
    "\n  query LatestFailed($since: DateTime!) {\n    webhookDeliveries(first: 1, status: failed, since: $since) {\n      edges {\n        node {\n          id\n          lastAttemptAt\n        }\n      }\n    }\n  }\n": typeof types.LatestFailedDocument,
    "\n  query RecentActivity($since: DateTime!) {\n    activity(since: $since) {\n      events {\n        event\n        count\n      }\n      deliveries {\n        status\n        count\n      }\n      conversations {\n        status\n        count\n      }\n    }\n    webhookDeliveries(first: 1, status: failed) {\n      edges {\n        node {\n          id\n          lastAttemptAt\n        }\n      }\n    }\n  }\n": typeof types.RecentActivityDocument,
    "\n  mutation ErasePerson($input: ErasePersonInput!) {\n    erasePerson(input: $input) {\n      id\n    }\n  }\n": typeof types.ErasePersonDocument,
    "\n  query Erasure($id: ID!) {\n    erasure(id: $id) {\n      id\n      status\n      dryRun\n      error\n      counts {\n        kind\n        count\n      }\n    }\n  }\n": typeof types.ErasureDocument,
    "\n  query Erasures {\n    erasures(first: 10) {\n      edges {\n        node {\n          id\n          status\n          dryRun\n          suppress\n          startedAt\n          counts {\n            count\n          }\n        }\n      }\n    }\n  }\n": typeof types.ErasuresDocument,
    "\n  query Retention {\n    retention {\n      conversations\n      transcripts\n      meetings\n      previewEvents\n      eventsAndDeliveries\n      auditLog\n      lastRunAt\n      failed\n      removed {\n        conversations\n        transcripts\n        meetings\n        previewEvents\n        eventsAndDeliveries\n        auditLog\n      }\n    }\n  }\n": typeof types.RetentionDocument,
    "\n  query RetentionPreview(\n    $conversations: Int\n    $transcripts: Int\n    $meetings: Int\n    $previewEvents: Int\n    $eventsAndDeliveries: Int\n    $auditLog: Int\n  ) {\n    retentionPreview(\n      conversations: $conversations\n      transcripts: $transcripts\n      meetings: $meetings\n      previewEvents: $previewEvents\n      eventsAndDeliveries: $eventsAndDeliveries\n      auditLog: $auditLog\n    ) {\n      conversations\n      transcripts\n      meetings\n      previewEvents\n      eventsAndDeliveries\n      auditLog\n    }\n  }\n": typeof types.RetentionPreviewDocument,
    "\n  mutation UpdateRetention($input: UpdateRetentionInput!) {\n    updateRetention(input: $input) {\n      updatedAt\n    }\n  }\n": typeof types.UpdateRetentionDocument,
    "\n  query ConsoleSessions {\n    consoleSessions {\n      id\n      startedAt\n      lastUsedAt\n      expiresAt\n      address\n      isCurrent\n    }\n  }\n": typeof types.ConsoleSessionsDocument,
    "\n  mutation EndConsoleSession($id: ID!) {\n    endConsoleSession(id: $id) {\n      id\n    }\n  }\n": typeof types.EndConsoleSessionDocument,
    "\n  query Deliveries(\n    $first: Int!\n    $after: String\n    $endpointId: Int\n    $status: WebhookDeliveryStatus\n    $event: String\n    $eventId: ID\n    $conversationId: ID\n    $text: String\n    $since: DateTime\n    $until: DateTime\n  ) {\n    webhookDeliveries(\n      first: $first\n      after: $after\n      endpointId: $endpointId\n      status: $status\n      event: $event\n      eventId: $eventId\n      conversationId: $conversationId\n      text: $text\n      since: $since\n      until: $until\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          ...DeliveryRow\n        }\n      }\n    }\n  }\n  fragment DeliveryRow on WebhookDelivery {\n    id\n    endpointId\n    eventId\n    event\n    status\n    attempt\n    nextRetryAt\n    waitingFor\n    createdAt\n    lastAttemptAt\n    responseStatus\n    error\n    failureReason\n    durationMs\n  }\n": typeof types.DeliveriesDocument,
    "\n  query DeliveriesWithSubjects(\n    $first: Int!\n    $after: String\n    $endpointId: Int\n    $status: WebhookDeliveryStatus\n    $event: String\n    $eventId: ID\n    $conversationId: ID\n    $text: String\n    $since: DateTime\n    $until: DateTime\n  ) {\n    webhookDeliveries(\n      first: $first\n      after: $after\n      endpointId: $endpointId\n      status: $status\n      event: $event\n      eventId: $eventId\n      conversationId: $conversationId\n      text: $text\n      since: $since\n      until: $until\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          ...DeliveryRow\n          ...DeliverySubject\n        }\n      }\n    }\n  }\n  fragment DeliverySubject on WebhookDelivery {\n    sourceEvent {\n      conversionType\n      visitorId\n      conversation {\n        id\n        visitorId\n        goal\n        identity {\n          firstName\n          lastName\n          email\n        }\n      }\n    }\n  }\n": typeof types.DeliveriesWithSubjectsDocument,
    "\n  subscription DeliveryChanges($endpointId: Int) {\n    webhookDeliveryUpdated(endpointId: $endpointId) {\n      ...DeliveryRow\n    }\n  }\n": typeof types.DeliveryChangesDocument,
    "\n  query ExplainDelivery($eventId: ID!, $endpointId: Int!) {\n    explainDelivery(eventId: $eventId, endpointId: $endpointId) {\n      reason\n      message\n    }\n  }\n": typeof types.ExplainDeliveryDocument,
    "\n  mutation ResendDelivery($id: ID!) {\n    resendWebhookDelivery(id: $id) {\n      id\n    }\n  }\n": typeof types.ResendDeliveryDocument,
    "\n  query SearchedDelivery($id: ID!) {\n    webhookDelivery(id: $id) {\n      id\n    }\n  }\n": typeof types.SearchedDeliveryDocument,
    "\n  query SearchedEvent($id: ID!) {\n    webhookEvent(id: $id) {\n      id\n    }\n  }\n": typeof types.SearchedEventDocument,
    "\n  query SearchedConversation($id: ID!) {\n    conversation(id: $id) {\n      id\n    }\n  }\n": typeof types.SearchedConversationDocument,
    "\n  query DeliveryDetail($id: ID!) {\n    webhookDelivery(id: $id) {\n      ...DeliveryRow\n      payload\n      scheduledAttempts\n      manualAttempts\n      attempts {\n        number\n        at\n        manual\n        probe\n        responseStatus\n        responseBody\n        requestHeaders {\n          name\n          value\n        }\n        responseHeaders {\n          name\n          value\n        }\n        error\n        durationMs\n      }\n    }\n  }\n": typeof types.DeliveryDetailDocument,
    "\n  query DeliverySubjectOf($id: ID!) {\n    webhookDelivery(id: $id) {\n      ...DeliverySubject\n    }\n  }\n": typeof types.DeliverySubjectOfDocument,
    "\n  query EndpointCatchUp($id: Int!, $since: DateTime!) {\n    webhookEndpoint(id: $id) {\n      succeeded: deliveries(first: 1, status: succeeded) {\n        edges {\n          node {\n            ...CatchUpDelivery\n          }\n        }\n      }\n      retrying: deliveries(first: 1, status: retrying) {\n        edges {\n          node {\n            ...CatchUpDelivery\n          }\n        }\n      }\n      failed: deliveries(first: 10, status: failed, since: $since) {\n        edges {\n          node {\n            ...CatchUpDelivery\n            attempts {\n              manual\n              responseStatus\n            }\n          }\n        }\n      }\n      cancelled: deliveries(first: 1, status: cancelled, since: $since) {\n        edges {\n          node {\n            eventId\n          }\n        }\n      }\n    }\n  }\n  fragment CatchUpDelivery on WebhookDelivery {\n    error\n    failureReason\n    lastAttemptAt\n    nextRetryAt\n    waitingFor\n  }\n": typeof types.EndpointCatchUpDocument,
    "\n  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {\n    createWebhookEndpoint(input: $input) {\n      secret\n      endpoint {\n        id\n        publicKey\n      }\n    }\n  }\n": typeof types.CreateEndpointDocument,
    "\n  mutation CancelBacklog($id: Int!) {\n    cancelWebhookBacklog(endpointId: $id) {\n      cancelled\n    }\n  }\n": typeof types.CancelBacklogDocument,
    "\n  mutation RotateSecret($id: Int!, $overlapSeconds: Int!) {\n    rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) {\n      secret\n      publicKey\n    }\n  }\n": typeof types.RotateSecretDocument,
    "\n  mutation DeleteEndpoint($id: Int!) {\n    deleteWebhookEndpoint(id: $id) {\n      id\n    }\n  }\n": typeof types.DeleteEndpointDocument,
    "\n  query MonitoredEndpoints {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          ...EndpointRow\n          ...LatestAttempts\n        }\n      }\n    }\n  }\n  fragment LatestAttempts on WebhookEndpoint {\n    succeeded: deliveries(first: 1, status: succeeded) {\n      edges {\n        node {\n          ...LatestAttempt\n        }\n      }\n    }\n    retrying: deliveries(first: 1, status: retrying) {\n      edges {\n        node {\n          ...LatestAttempt\n        }\n      }\n    }\n    failed: deliveries(first: 1, status: failed) {\n      edges {\n        node {\n          ...LatestAttempt\n        }\n      }\n    }\n  }\n  fragment LatestAttempt on WebhookDelivery {\n    error\n    lastAttemptAt\n  }\n": typeof types.MonitoredEndpointsDocument,
    "\n  query ListedEndpoints {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          ...EndpointRow\n          ...LatestAttempts\n          deliveries(first: 1) {\n            edges {\n              node {\n                id\n                status\n                createdAt\n              }\n            }\n          }\n        }\n      }\n    }\n  }\n": typeof types.ListedEndpointsDocument,
    "\n  mutation RecoverDeliveries($endpointId: Int!, $since: DateTime!, $until: DateTime, $dryRun: Boolean!) {\n    recoverWebhookDeliveries(endpointId: $endpointId, since: $since, until: $until, dryRun: $dryRun) {\n      queued\n      open\n    }\n  }\n": typeof types.RecoverDeliveriesDocument,
    "\n  mutation ReplayDeliveries(\n    $endpointId: Int!\n    $since: DateTime!\n    $until: DateTime\n    $status: WebhookDeliveryStatus\n    $dryRun: Boolean!\n  ) {\n    replayWebhookDeliveries(\n      endpointId: $endpointId\n      since: $since\n      until: $until\n      status: $status\n      dryRun: $dryRun\n    ) {\n      count\n    }\n  }\n": typeof types.ReplayDeliveriesDocument,
    "\n  mutation RetryBacklog(\n    $endpointId: Int!\n    $since: DateTime!\n    $until: DateTime\n    $event: String\n    $dryRun: Boolean!\n  ) {\n    retryWebhookBacklog(\n      endpointId: $endpointId\n      since: $since\n      until: $until\n      event: $event\n      dryRun: $dryRun\n    ) {\n      count\n    }\n  }\n": typeof types.RetryBacklogDocument,
    "\n  mutation SendTestEvent($endpointId: Int!, $event: String!, $data: JSON) {\n    sendTestWebhook(endpointId: $endpointId, event: $event, data: $data) {\n      id\n    }\n  }\n": typeof types.SendTestEventDocument,
    "\n  query EventExamples {\n    eventTypes {\n      name\n      example\n    }\n  }\n": typeof types.EventExamplesDocument,
    "\n  query EndpointStatistics($id: Int!) {\n    webhookEndpoint(id: $id) {\n      ...EndpointBacklog\n      statistics {\n        succeeded\n        failed\n        attempts\n        failedAttempts\n        p50\n        p95\n        failingSince\n        steps {\n          startsAt\n          attempts\n          failedAttempts\n          p50\n          p95\n        }\n      }\n    }\n  }\n": typeof types.EndpointStatisticsDocument,
    "\n  query EndpointResults {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          id\n          statistics {\n            attempts\n            failedAttempts\n            p95\n            failingSince\n          }\n        }\n      }\n    }\n  }\n": typeof types.EndpointResultsDocument,
    "\n  query EndpointBacklogs {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          id\n          ...EndpointBacklog\n        }\n      }\n    }\n  }\n  fragment EndpointBacklog on WebhookEndpoint {\n    backlog\n    oldestWaitingAt\n    scheduledRetries\n  }\n": typeof types.EndpointBacklogsDocument,
    "\n  query Endpoints {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          ...EndpointRow\n        }\n      }\n    }\n  }\n  fragment EndpointRow on WebhookEndpoint {\n    id\n    url\n    description\n    events\n    filter\n    payload\n    enabled\n    disabledReason\n    circuit {\n      state\n      since\n      reason\n    }\n    headers\n    authentication {\n      oauth2 {\n        tokenUrl\n        clientId\n        scope\n        audience\n        clientAuthentication\n      }\n      mtls {\n        certificateExpiresAt\n        certificateSubject\n      }\n    }\n    signing\n    publicKey\n    previousSecretExpiresAt\n    timeoutSeconds\n    paused\n    autoRecover\n    ordering\n    rateLimit {\n      count\n      perSeconds\n    }\n    createdAt\n    updatedAt\n  }\n": typeof types.EndpointsDocument,
    "\n  query Endpoint($id: Int!) {\n    webhookEndpoint(id: $id) {\n      ...EndpointRow\n    }\n  }\n": typeof types.EndpointDocument,
    "\n  mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {\n    updateWebhookEndpoint(id: $id, input: $input) {\n      id\n    }\n  }\n": typeof types.UpdateEndpointDocument,
    "\n  mutation DeleteEventFeed($name: String!) {\n    deleteEventFeed(name: $name) {\n      name\n    }\n  }\n": typeof types.DeleteEventFeedDocument,
    "\n  query EventFeeds {\n    eventFeeds {\n      name\n      consumer\n      heldUntil\n      usedAt\n      behind\n      behindSince\n      lost\n    }\n  }\n": typeof types.EventFeedsDocument,
    "\n  mutation SeekEventFeed($name: String!, $to: String!) {\n    seekEventFeed(name: $name, to: $to) {\n      name\n    }\n  }\n": typeof types.SeekEventFeedDocument,
    "\n  query EventTypes {\n    eventTypes {\n      name\n      description\n    }\n  }\n": typeof types.EventTypesDocument,
    "\n  query CustomerCheck {\n    viewer {\n      scope\n    }\n  }\n": typeof types.CustomerCheckDocument,
};
const documents: Documents = {
    "\n  query TenantOptions($first: Int!) {\n    tenants(first: $first) {\n      edges {\n        node {\n          customerId\n          name\n        }\n      }\n    }\n  }\n": types.TenantOptionsDocument,
    "\n  query CustomerName {\n    viewer {\n      tenant {\n        name\n      }\n    }\n  }\n": types.CustomerNameDocument,
    "\n  query AuditLog($after: String, $action: String) {\n    auditLog(first: 50, after: $after, action: $action) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          id\n          at\n          action\n          actor {\n            type\n            id\n            name\n            prefix\n          }\n          clientAddress\n          target {\n            type\n            id\n          }\n          outcome\n          count\n          before\n          after\n        }\n      }\n    }\n  }\n": types.AuditLogDocument,
    "\n  mutation CloseConversation($id: ID!) {\n    closeConversation(conversationId: $id) {\n      id\n    }\n  }\n": types.CloseConversationDocument,
    "\n  mutation MarkOutcome($id: ID!, $category: String) {\n    markOutcome(conversationId: $id, category: $category) {\n      id\n    }\n  }\n": types.MarkOutcomeDocument,
    "\n  query RecentOutcomes {\n    conversations(first: 100) {\n      edges {\n        node {\n          outcome {\n            category\n          }\n        }\n      }\n    }\n  }\n": types.RecentOutcomesDocument,
    "\n  query ConversationPayloads($id: ID!) {\n    conversation(id: $id) {\n      events {\n        id\n        payload\n      }\n    }\n  }\n": types.ConversationPayloadsDocument,
    "\n  query Transcript($id: ID!, $first: Int!, $after: String) {\n    conversation(id: $id) {\n      transcript(first: $first, after: $after) {\n        pageInfo {\n          endCursor\n        }\n        edges {\n          node {\n            id\n            role\n            text\n            sentAt\n          }\n        }\n      }\n    }\n  }\n": types.TranscriptDocument,
    "\n  query Conversation($id: ID!) {\n    conversation(id: $id) {\n      id\n      visitorId\n      status\n      converted\n      goal\n      startedAt\n      endedAt\n      messageCount\n      identity {\n        resolvedPersonId\n        firstName\n        lastName\n        email\n        company\n        jobTitle\n      }\n      outcome {\n        category\n        markedAt\n      }\n      conversions {\n        id\n        type\n        goal\n        value\n        recordedAt\n      }\n      resolutions {\n        id\n        resolvedPersonId\n        resolvedCompany\n        recordedAt\n      }\n      handoffs {\n        id\n        schemaName\n        urgency\n        reason\n        requestedAt\n      }\n      events {\n        id\n        event\n        createdAt\n      }\n    }\n  }\n": types.ConversationDocument,
    "\n  subscription ConversationChange($id: ID!) {\n    conversationUpdated(id: $id) {\n      id\n    }\n  }\n": types.ConversationChangeDocument,
    "\n  query Conversations(\n    $after: String\n    $status: ConversationStatus\n    $converted: Boolean\n    $since: DateTime\n    $text: String\n    $email: String\n    $visitorId: String\n    $resolvedPersonId: String\n    $company: String\n  ) {\n    conversations(\n      first: 50\n      after: $after\n      status: $status\n      converted: $converted\n      since: $since\n      text: $text\n      email: $email\n      visitorId: $visitorId\n      resolvedPersonId: $resolvedPersonId\n      company: $company\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          id\n          visitorId\n          status\n          converted\n          goal\n          startedAt\n          messageCount\n          identity {\n            firstName\n            lastName\n            email\n            company\n            resolvedPersonId\n          }\n          outcome {\n            category\n          }\n        }\n      }\n    }\n  }\n": types.ConversationsDocument,
    "\n  subscription ConversationChanges {\n    conversationUpdated {\n      id\n      visitorId\n      status\n      converted\n      goal\n      startedAt\n      messageCount\n      identity {\n        firstName\n        lastName\n        email\n        company\n        resolvedPersonId\n      }\n      outcome {\n        category\n      }\n    }\n  }\n": types.ConversationChangesDocument,
    "\n  mutation CreateTenant($input: CreateTenantInput!) {\n    createTenant(input: $input) {\n      customerId\n    }\n  }\n": types.CreateTenantDocument,
    "\n  mutation CreateApiKey($input: CreateApiKeyInput!) {\n    createApiKey(input: $input) {\n      key\n      apiKey {\n        id\n      }\n    }\n  }\n": types.CreateApiKeyDocument,
    "\n  query CustomerHealth($since: DateTime!) {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          enabled\n          disabledReason\n          circuit {\n            state\n          }\n        }\n      }\n    }\n    webhookDeliveries(first: 1, status: failed, since: $since) {\n      edges {\n        node {\n          id\n        }\n      }\n    }\n  }\n": types.CustomerHealthDocument,
    "\n  query Tenants($after: String) {\n    tenants(first: 50, after: $after) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          customerId\n          orgId\n          name\n          createdAt\n          suspendedAt\n          deletionStartedAt\n        }\n      }\n    }\n  }\n": types.TenantsDocument,
    "\n  mutation DeleteTenant($customerId: Int!, $input: DeleteTenantInput!) {\n    deleteTenant(customerId: $customerId, input: $input) {\n      id\n    }\n  }\n": types.DeleteTenantDocument,
    "\n  query TenantDeletion($customerId: Int!) {\n    tenantDeletion(customerId: $customerId) {\n      status\n      dryRun\n      error\n      counts {\n        collection\n        count\n      }\n    }\n  }\n": types.TenantDeletionDocument,
    "\n  mutation RevokeApiKey($id: ID!) {\n    revokeApiKey(id: $id) {\n      id\n    }\n  }\n": types.RevokeApiKeyDocument,
    "\n  query ApiKeys($after: String, $text: String, $scope: KeyScope, $state: KeyState, $customerId: Int) {\n    apiKeys(\n      first: 50\n      after: $after\n      text: $text\n      scope: $scope\n      state: $state\n      customerId: $customerId\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          id\n          name\n          state\n          scope\n          resources\n          networks\n          customerId\n          prefix\n          createdAt\n          expiresAt\n          expiresSoon\n          lastUsedAt\n          lastUsedAddress\n          revokedAt\n        }\n      }\n    }\n  }\n": types.ApiKeysDocument,
    "\n  mutation RotateApiKey($id: ID!, $overlapSeconds: Int!) {\n    rotateApiKey(id: $id, overlapSeconds: $overlapSeconds) {\n      key\n    }\n  }\n": types.RotateApiKeyDocument,
    "\n  mutation SuspendTenant($customerId: Int!) {\n    suspendTenant(customerId: $customerId) {\n      customerId\n    }\n  }\n": types.SuspendTenantDocument,
    "\n  mutation ResumeTenant($customerId: Int!) {\n    resumeTenant(customerId: $customerId) {\n      customerId\n    }\n  }\n": types.ResumeTenantDocument,
    "\n  query DriftAlerts($model: String, $stage: String) {\n    active: driftAlerts(model: $model, stage: $stage, status: active) {\n      ...DriftAlertDetails\n    }\n    acknowledged: driftAlerts(model: $model, stage: $stage, status: acknowledged) {\n      ...DriftAlertDetails\n    }\n    cleared: driftAlerts(model: $model, stage: $stage, status: cleared, limit: 20) {\n      ...DriftAlertDetails\n    }\n  }\n  fragment DriftAlertDetails on DriftAlert {\n    id\n    scope\n    stage\n    feature\n    status\n    since\n    clearedAt\n    score\n    threshold\n    features {\n      feature\n      score\n      threshold\n      bin {\n        lower\n        upper\n        category\n        missing\n      }\n      exampleIds\n    }\n    acknowledgement {\n      note\n      until\n      at\n    }\n  }\n": types.DriftAlertsDocument,
    "\n  mutation AcknowledgeDriftAlert($id: ID!, $note: String!, $until: DateTime) {\n    acknowledgeDriftAlert(id: $id, note: $note, until: $until) {\n      id\n    }\n  }\n": types.AcknowledgeDriftAlertDocument,
    "\n  mutation WithdrawDriftAcknowledgement($id: ID!) {\n    withdrawDriftAcknowledgement(id: $id) {\n      id\n    }\n  }\n": types.WithdrawDriftAcknowledgementDocument,
    "\n  mutation CheckDrift($stage: String, $model: String) {\n    triggerDriftCheck(stage: $stage, model: $model) {\n      success\n    }\n  }\n": types.CheckDriftDocument,
    "\n  query DriftStatus($stage: String, $model: String) {\n    driftStatus(stage: $stage, model: $model) {\n      isDrifted\n      driftScore\n      threshold\n      method\n      lastChecked\n      insufficientData\n      components {\n        features\n        prediction\n        outcome\n      }\n      componentDetails {\n        features {\n          ...ComponentDetail\n        }\n        prediction {\n          ...ComponentDetail\n        }\n        outcome {\n          ...ComponentDetail\n        }\n      }\n      rows {\n        reference\n        current\n      }\n      featureDrifts {\n        feature\n        score\n        drifted\n        insufficientData\n        type\n        weight\n        threshold\n        noise\n        significant\n        rowsNeeded\n        noData\n        missing {\n          reference\n          current\n        }\n        newCategoryShare\n        newCategories {\n          count\n        }\n        vanishedCategories {\n          count\n        }\n      }\n    }\n  }\n  fragment ComponentDetail on DriftComponentDetail {\n    noise\n    significant\n    rowsNeeded\n    coverage {\n      reference\n      current\n    }\n  }\n": types.DriftStatusDocument,
    "\n  query DriftStages($model: String) {\n    driftStages(model: $model) {\n      stage\n    }\n  }\n": types.DriftStagesDocument,
    "\n  query DriftHistory($stage: String, $overall: Boolean, $feature: String, $model: String) {\n    driftHistory(stage: $stage, overall: $overall, feature: $feature, model: $model, limit: 200) {\n      id\n      driftScore\n      isDrifted\n      insufficientData\n      checkedAt\n      components {\n        features\n        prediction\n        outcome\n      }\n      rows {\n        reference\n        current\n      }\n      featureScore\n    }\n  }\n": types.DriftHistoryDocument,
    "\n  query DriftFeature($feature: String!, $stage: String, $model: String) {\n    driftFeature(feature: $feature, stage: $stage, model: $model) {\n      score\n      driftedSince\n      drifted\n      insufficientData\n      type\n      weight\n      threshold\n      noise\n      significant\n      rowsNeeded\n      noData\n      jensenShannon\n      wasserstein\n      outOfRange\n      rows {\n        reference\n        current\n      }\n      missing {\n        reference\n        current\n      }\n      coverage {\n        reference\n        current\n      }\n      newCategoryShare\n      newCategories {\n        count\n        names\n      }\n      vanishedCategories {\n        count\n        names\n      }\n      bins {\n        lower\n        upper\n        category\n        missing\n        reference {\n          count\n          share\n        }\n        current {\n          count\n          share\n        }\n        contribution\n      }\n      otherCategories {\n        count\n        contribution\n      }\n    }\n  }\n": types.DriftFeatureDocument,
    "\n  query DriftMutes($model: String) {\n    driftMutes(model: $model) {\n      id\n      stage\n      feature\n      note\n      until\n    }\n  }\n": types.DriftMutesDocument,
    "\n  mutation MuteDriftFeature($feature: String!, $model: String, $stage: String, $note: String, $until: DateTime) {\n    muteDriftFeature(feature: $feature, model: $model, stage: $stage, note: $note, until: $until) {\n      id\n    }\n  }\n": types.MuteDriftFeatureDocument,
    "\n  mutation UnmuteDriftFeature($feature: String!, $model: String, $stage: String) {\n    unmuteDriftFeature(feature: $feature, model: $model, stage: $stage) {\n      id\n    }\n  }\n": types.UnmuteDriftFeatureDocument,
    "\n  query DriftFeatureSettings($model: String) {\n    driftFeatureSettings(model: $model) {\n      feature\n      weight\n      threshold\n    }\n  }\n": types.DriftFeatureSettingsDocument,
    "\n  mutation SetDriftFeatureSettings($features: [DriftFeatureSettingInput!]!, $model: String) {\n    setDriftFeatureSettings(features: $features, model: $model) {\n      feature\n    }\n  }\n": types.SetDriftFeatureSettingsDocument,
    "\n  query DriftModels {\n    driftModels\n  }\n": types.DriftModelsDocument,
    "\n  query DriftPerformance($stage: String, $model: String) {\n    driftPerformance(stage: $stage, model: $model) {\n      isProbabilistic\n      weeks {\n        week\n        rows\n        outcomes\n        calibrationError\n        auc\n        accuracy\n        estimatedAccuracy\n      }\n    }\n  }\n": types.DriftPerformanceDocument,
    "\n  query DriftPlannedChanges($model: String, $stage: String) {\n    driftPlannedChanges(model: $model, stage: $stage, limit: 200) {\n      id\n      stage\n      type\n      title\n      note\n      startsAt\n      endsAt\n    }\n  }\n": types.DriftPlannedChangesDocument,
    "\n  mutation CreateDriftPlannedChange(\n    $type: DriftPlannedChangeType!\n    $title: String!\n    $startsAt: DateTime!\n    $endsAt: DateTime\n    $note: String\n    $model: String\n    $stage: String\n  ) {\n    createDriftPlannedChange(\n      type: $type\n      title: $title\n      startsAt: $startsAt\n      endsAt: $endsAt\n      note: $note\n      model: $model\n      stage: $stage\n    ) {\n      id\n    }\n  }\n": types.CreateDriftPlannedChangeDocument,
    "\n  mutation DeleteDriftPlannedChange($id: ID!) {\n    deleteDriftPlannedChange(id: $id) {\n      id\n    }\n  }\n": types.DeleteDriftPlannedChangeDocument,
    "\n  mutation DisconnectRecorder {\n    disconnectRecorder\n  }\n": types.DisconnectRecorderDocument,
    "\n  mutation ConnectRecorder($apiKey: String!) {\n    connectRecorder(apiKey: $apiKey) {\n      status\n    }\n  }\n": types.ConnectRecorderDocument,
    "\n  subscription SyncProgress {\n    meetingSyncProgress {\n      ...SyncRun\n    }\n  }\n": types.SyncProgressDocument,
    "\n  query RecorderWebhook {\n    recorderWebhook {\n      path\n      hasSecret\n    }\n  }\n": types.RecorderWebhookDocument,
    "\n  mutation RotateRecorderWebhook {\n    rotateRecorderWebhook {\n      path\n    }\n  }\n": types.RotateRecorderWebhookDocument,
    "\n  mutation SetRecorderWebhookSecret($secret: String) {\n    setRecorderWebhookSecret(secret: $secret) {\n      hasSecret\n    }\n  }\n": types.SetRecorderWebhookSecretDocument,
    "\n  query Meeting($id: String!) {\n    meeting(recorderMeetingId: $id) {\n      recorderMeetingId\n      title\n      startedAt\n      endedAt\n      participantsJson {\n        name\n        email\n        role\n      }\n      summaryText\n      sentimentScore\n      storedAt\n      deletedAt\n      warnings {\n        path\n        reason\n      }\n    }\n  }\n": types.MeetingDocument,
    "\n  query MeetingTranscript($id: String!) {\n    meeting(recorderMeetingId: $id) {\n      transcriptJson {\n        speaker\n        text\n        startTime\n        endTime\n      }\n    }\n  }\n": types.MeetingTranscriptDocument,
    "\n  query MeetingActivities($after: String, $personExternalId: String) {\n    meetingActivities(first: 50, after: $after, personExternalId: $personExternalId) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          externalId\n          occurredAt\n          personExternalId\n          properties\n        }\n      }\n    }\n  }\n": types.MeetingActivitiesDocument,
    "\n  query Meetings($after: String, $since: DateTime, $search: String, $includeDeleted: Boolean) {\n    meetings(first: 50, after: $after, since: $since, search: $search, includeDeleted: $includeDeleted) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          recorderMeetingId\n          title\n          startedAt\n          endedAt\n          storedAt\n          deletedAt\n          participantsJson {\n            name\n            email\n          }\n        }\n      }\n    }\n  }\n": types.MeetingsDocument,
    "\n  query MeetingSearch($query: String!, $since: DateTime, $after: String) {\n    meetingSearch(first: 20, after: $after, query: $query, since: $since) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          meeting {\n            recorderMeetingId\n            title\n            startedAt\n          }\n          matches {\n            field\n            snippet\n            highlights {\n              start\n              end\n            }\n            segment {\n              index\n              speaker\n              startTime\n            }\n          }\n        }\n      }\n    }\n  }\n": types.MeetingSearchDocument,
    "\n  query MeetingSearchBacklog {\n    meetingSearchBacklog\n  }\n": types.MeetingSearchBacklogDocument,
    "\n  query FieldMapping {\n    recorderFieldMapping {\n      sourceField: sourcePointer\n      targetField\n      transform\n      required\n    }\n  }\n": types.FieldMappingDocument,
    "\n  mutation UpdateFieldMapping($mappings: [FieldMappingInput!]!) {\n    updateRecorderFieldMapping(mappings: $mappings) {\n      sourceField: sourcePointer\n      targetField\n      transform\n      required\n    }\n  }\n": types.UpdateFieldMappingDocument,
    "\n  query MappingPreview($mappings: [FieldMappingInput!]!, $id: String) {\n    recorderFieldMappingPreview(mappings: $mappings, recorderMeetingId: $id) {\n      recorderMeetingId\n      hasRecord\n      fields {\n        sourcePointer\n        targetField\n        value\n        warnings\n      }\n      activity {\n        externalId\n        properties\n      }\n    }\n  }\n": types.MappingPreviewDocument,
    "\n  query Reprojection {\n    activityReprojection {\n      status\n      total\n      done\n      withoutRecord\n      skipped\n      finishedAt\n      estimatedRemainingSeconds\n    }\n  }\n": types.ReprojectionDocument,
    "\n  query SyncLog($id: ID!, $after: String) {\n    meetingSyncRun(id: $id) {\n      log(first: 50, after: $after) {\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n        edges {\n          cursor\n          node {\n            at\n            type\n            page\n            count\n            durationMs\n            detail\n          }\n        }\n      }\n    }\n  }\n": types.SyncLogDocument,
    "\n  query SyncRunDetails($id: ID!) {\n    meetingSyncRun(id: $id) {\n      ...SyncRun\n    }\n  }\n": types.SyncRunDetailsDocument,
    "\n  mutation SyncMeetings($since: DateTime, $until: DateTime, $fullResync: Boolean) {\n    syncMeetings(since: $since, until: $until, fullResync: $fullResync) {\n      id\n    }\n  }\n": types.SyncMeetingsDocument,
    "\n  mutation CancelMeetingSync {\n    cancelMeetingSync {\n      id\n    }\n  }\n": types.CancelMeetingSyncDocument,
    "\n  mutation PauseMeetingSync {\n    pauseMeetingSync {\n      id\n    }\n  }\n": types.PauseMeetingSyncDocument,
    "\n  mutation ResumeMeetingSync {\n    resumeMeetingSync {\n      id\n    }\n  }\n": types.ResumeMeetingSyncDocument,
    "\n  query SyncRuns($after: String) {\n    meetingSyncRuns(first: 10, after: $after) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          ...SyncRun\n        }\n      }\n    }\n  }\n": types.SyncRunsDocument,
    "\n  query Recorder {\n    recorderConnection {\n      ...Connection\n    }\n  }\n  fragment Connection on RecorderConnection {\n    status\n    connectedAt\n    lastSyncAt\n    nextSyncAt\n    lastRun {\n      ...SyncRun\n    }\n  }\n  fragment SyncRun on MeetingSyncRun {\n    id\n    status\n    scope\n    since\n    until\n    startedAt\n    finishedAt\n    pages\n    fetched\n    stored\n    updated\n    unchanged\n    rejected\n    warnings\n    warningDetails {\n      meeting\n      path\n      reason\n    }\n    skipped\n    suppressed\n    rateLimited\n    oldestMeetingAt\n    meetingsPerMinute\n    estimatedRemainingSeconds\n    error {\n      code\n      message\n    }\n  }\n": types.RecorderDocument,
    "\n  query Health {\n    health {\n      status\n      version\n      uptimeSeconds\n      database {\n        status\n        latencyMs\n      }\n      sidecar {\n        status\n        latencyMs\n        modelVersion\n      }\n      jobs {\n        status\n        lastRunAt\n      }\n      auditLog {\n        status\n      }\n      encryption {\n        status\n      }\n      outboundProxy {\n        status\n        error\n      }\n    }\n  }\n": types.HealthDocument,
    "\n  query HandedOffConversations {\n    conversations(first: 50, status: handed_off) {\n      pageInfo {\n        hasNextPage\n      }\n      edges {\n        node {\n          id\n          visitorId\n          identity {\n            firstName\n            lastName\n            email\n          }\n          handoffs {\n            id\n            urgency\n            requestedAt\n          }\n        }\n      }\n    }\n  }\n": types.HandedOffConversationsDocument,
    "\n  query LatestFailed($since: DateTime!) {\n    webhookDeliveries(first: 1, status: failed, since: $since) {\n      edges {\n        node {\n          id\n          lastAttemptAt\n        }\n      }\n    }\n  }\n": types.LatestFailedDocument,
    "\n  query RecentActivity($since: DateTime!) {\n    activity(since: $since) {\n      events {\n        event\n        count\n      }\n      deliveries {\n        status\n        count\n      }\n      conversations {\n        status\n        count\n      }\n    }\n    webhookDeliveries(first: 1, status: failed) {\n      edges {\n        node {\n          id\n          lastAttemptAt\n        }\n      }\n    }\n  }\n": types.RecentActivityDocument,
    "\n  mutation ErasePerson($input: ErasePersonInput!) {\n    erasePerson(input: $input) {\n      id\n    }\n  }\n": types.ErasePersonDocument,
    "\n  query Erasure($id: ID!) {\n    erasure(id: $id) {\n      id\n      status\n      dryRun\n      error\n      counts {\n        kind\n        count\n      }\n    }\n  }\n": types.ErasureDocument,
    "\n  query Erasures {\n    erasures(first: 10) {\n      edges {\n        node {\n          id\n          status\n          dryRun\n          suppress\n          startedAt\n          counts {\n            count\n          }\n        }\n      }\n    }\n  }\n": types.ErasuresDocument,
    "\n  query Retention {\n    retention {\n      conversations\n      transcripts\n      meetings\n      previewEvents\n      eventsAndDeliveries\n      auditLog\n      lastRunAt\n      failed\n      removed {\n        conversations\n        transcripts\n        meetings\n        previewEvents\n        eventsAndDeliveries\n        auditLog\n      }\n    }\n  }\n": types.RetentionDocument,
    "\n  query RetentionPreview(\n    $conversations: Int\n    $transcripts: Int\n    $meetings: Int\n    $previewEvents: Int\n    $eventsAndDeliveries: Int\n    $auditLog: Int\n  ) {\n    retentionPreview(\n      conversations: $conversations\n      transcripts: $transcripts\n      meetings: $meetings\n      previewEvents: $previewEvents\n      eventsAndDeliveries: $eventsAndDeliveries\n      auditLog: $auditLog\n    ) {\n      conversations\n      transcripts\n      meetings\n      previewEvents\n      eventsAndDeliveries\n      auditLog\n    }\n  }\n": types.RetentionPreviewDocument,
    "\n  mutation UpdateRetention($input: UpdateRetentionInput!) {\n    updateRetention(input: $input) {\n      updatedAt\n    }\n  }\n": types.UpdateRetentionDocument,
    "\n  query ConsoleSessions {\n    consoleSessions {\n      id\n      startedAt\n      lastUsedAt\n      expiresAt\n      address\n      isCurrent\n    }\n  }\n": types.ConsoleSessionsDocument,
    "\n  mutation EndConsoleSession($id: ID!) {\n    endConsoleSession(id: $id) {\n      id\n    }\n  }\n": types.EndConsoleSessionDocument,
    "\n  query Deliveries(\n    $first: Int!\n    $after: String\n    $endpointId: Int\n    $status: WebhookDeliveryStatus\n    $event: String\n    $eventId: ID\n    $conversationId: ID\n    $text: String\n    $since: DateTime\n    $until: DateTime\n  ) {\n    webhookDeliveries(\n      first: $first\n      after: $after\n      endpointId: $endpointId\n      status: $status\n      event: $event\n      eventId: $eventId\n      conversationId: $conversationId\n      text: $text\n      since: $since\n      until: $until\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          ...DeliveryRow\n        }\n      }\n    }\n  }\n  fragment DeliveryRow on WebhookDelivery {\n    id\n    endpointId\n    eventId\n    event\n    status\n    attempt\n    nextRetryAt\n    waitingFor\n    createdAt\n    lastAttemptAt\n    responseStatus\n    error\n    failureReason\n    durationMs\n  }\n": types.DeliveriesDocument,
    "\n  query DeliveriesWithSubjects(\n    $first: Int!\n    $after: String\n    $endpointId: Int\n    $status: WebhookDeliveryStatus\n    $event: String\n    $eventId: ID\n    $conversationId: ID\n    $text: String\n    $since: DateTime\n    $until: DateTime\n  ) {\n    webhookDeliveries(\n      first: $first\n      after: $after\n      endpointId: $endpointId\n      status: $status\n      event: $event\n      eventId: $eventId\n      conversationId: $conversationId\n      text: $text\n      since: $since\n      until: $until\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          ...DeliveryRow\n          ...DeliverySubject\n        }\n      }\n    }\n  }\n  fragment DeliverySubject on WebhookDelivery {\n    sourceEvent {\n      conversionType\n      visitorId\n      conversation {\n        id\n        visitorId\n        goal\n        identity {\n          firstName\n          lastName\n          email\n        }\n      }\n    }\n  }\n": types.DeliveriesWithSubjectsDocument,
    "\n  subscription DeliveryChanges($endpointId: Int) {\n    webhookDeliveryUpdated(endpointId: $endpointId) {\n      ...DeliveryRow\n    }\n  }\n": types.DeliveryChangesDocument,
    "\n  query ExplainDelivery($eventId: ID!, $endpointId: Int!) {\n    explainDelivery(eventId: $eventId, endpointId: $endpointId) {\n      reason\n      message\n    }\n  }\n": types.ExplainDeliveryDocument,
    "\n  mutation ResendDelivery($id: ID!) {\n    resendWebhookDelivery(id: $id) {\n      id\n    }\n  }\n": types.ResendDeliveryDocument,
    "\n  query SearchedDelivery($id: ID!) {\n    webhookDelivery(id: $id) {\n      id\n    }\n  }\n": types.SearchedDeliveryDocument,
    "\n  query SearchedEvent($id: ID!) {\n    webhookEvent(id: $id) {\n      id\n    }\n  }\n": types.SearchedEventDocument,
    "\n  query SearchedConversation($id: ID!) {\n    conversation(id: $id) {\n      id\n    }\n  }\n": types.SearchedConversationDocument,
    "\n  query DeliveryDetail($id: ID!) {\n    webhookDelivery(id: $id) {\n      ...DeliveryRow\n      payload\n      scheduledAttempts\n      manualAttempts\n      attempts {\n        number\n        at\n        manual\n        probe\n        responseStatus\n        responseBody\n        requestHeaders {\n          name\n          value\n        }\n        responseHeaders {\n          name\n          value\n        }\n        error\n        durationMs\n      }\n    }\n  }\n": types.DeliveryDetailDocument,
    "\n  query DeliverySubjectOf($id: ID!) {\n    webhookDelivery(id: $id) {\n      ...DeliverySubject\n    }\n  }\n": types.DeliverySubjectOfDocument,
    "\n  query EndpointCatchUp($id: Int!, $since: DateTime!) {\n    webhookEndpoint(id: $id) {\n      succeeded: deliveries(first: 1, status: succeeded) {\n        edges {\n          node {\n            ...CatchUpDelivery\n          }\n        }\n      }\n      retrying: deliveries(first: 1, status: retrying) {\n        edges {\n          node {\n            ...CatchUpDelivery\n          }\n        }\n      }\n      failed: deliveries(first: 10, status: failed, since: $since) {\n        edges {\n          node {\n            ...CatchUpDelivery\n            attempts {\n              manual\n              responseStatus\n            }\n          }\n        }\n      }\n      cancelled: deliveries(first: 1, status: cancelled, since: $since) {\n        edges {\n          node {\n            eventId\n          }\n        }\n      }\n    }\n  }\n  fragment CatchUpDelivery on WebhookDelivery {\n    error\n    failureReason\n    lastAttemptAt\n    nextRetryAt\n    waitingFor\n  }\n": types.EndpointCatchUpDocument,
    "\n  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {\n    createWebhookEndpoint(input: $input) {\n      secret\n      endpoint {\n        id\n        publicKey\n      }\n    }\n  }\n": types.CreateEndpointDocument,
    "\n  mutation CancelBacklog($id: Int!) {\n    cancelWebhookBacklog(endpointId: $id) {\n      cancelled\n    }\n  }\n": types.CancelBacklogDocument,
    "\n  mutation RotateSecret($id: Int!, $overlapSeconds: Int!) {\n    rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) {\n      secret\n      publicKey\n    }\n  }\n": types.RotateSecretDocument,
    "\n  mutation DeleteEndpoint($id: Int!) {\n    deleteWebhookEndpoint(id: $id) {\n      id\n    }\n  }\n": types.DeleteEndpointDocument,
    "\n  query MonitoredEndpoints {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          ...EndpointRow\n          ...LatestAttempts\n        }\n      }\n    }\n  }\n  fragment LatestAttempts on WebhookEndpoint {\n    succeeded: deliveries(first: 1, status: succeeded) {\n      edges {\n        node {\n          ...LatestAttempt\n        }\n      }\n    }\n    retrying: deliveries(first: 1, status: retrying) {\n      edges {\n        node {\n          ...LatestAttempt\n        }\n      }\n    }\n    failed: deliveries(first: 1, status: failed) {\n      edges {\n        node {\n          ...LatestAttempt\n        }\n      }\n    }\n  }\n  fragment LatestAttempt on WebhookDelivery {\n    error\n    lastAttemptAt\n  }\n": types.MonitoredEndpointsDocument,
    "\n  query ListedEndpoints {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          ...EndpointRow\n          ...LatestAttempts\n          deliveries(first: 1) {\n            edges {\n              node {\n                id\n                status\n                createdAt\n              }\n            }\n          }\n        }\n      }\n    }\n  }\n": types.ListedEndpointsDocument,
    "\n  mutation RecoverDeliveries($endpointId: Int!, $since: DateTime!, $until: DateTime, $dryRun: Boolean!) {\n    recoverWebhookDeliveries(endpointId: $endpointId, since: $since, until: $until, dryRun: $dryRun) {\n      queued\n      open\n    }\n  }\n": types.RecoverDeliveriesDocument,
    "\n  mutation ReplayDeliveries(\n    $endpointId: Int!\n    $since: DateTime!\n    $until: DateTime\n    $status: WebhookDeliveryStatus\n    $dryRun: Boolean!\n  ) {\n    replayWebhookDeliveries(\n      endpointId: $endpointId\n      since: $since\n      until: $until\n      status: $status\n      dryRun: $dryRun\n    ) {\n      count\n    }\n  }\n": types.ReplayDeliveriesDocument,
    "\n  mutation RetryBacklog(\n    $endpointId: Int!\n    $since: DateTime!\n    $until: DateTime\n    $event: String\n    $dryRun: Boolean!\n  ) {\n    retryWebhookBacklog(\n      endpointId: $endpointId\n      since: $since\n      until: $until\n      event: $event\n      dryRun: $dryRun\n    ) {\n      count\n    }\n  }\n": types.RetryBacklogDocument,
    "\n  mutation SendTestEvent($endpointId: Int!, $event: String!, $data: JSON) {\n    sendTestWebhook(endpointId: $endpointId, event: $event, data: $data) {\n      id\n    }\n  }\n": types.SendTestEventDocument,
    "\n  query EventExamples {\n    eventTypes {\n      name\n      example\n    }\n  }\n": types.EventExamplesDocument,
    "\n  query EndpointStatistics($id: Int!) {\n    webhookEndpoint(id: $id) {\n      ...EndpointBacklog\n      statistics {\n        succeeded\n        failed\n        attempts\n        failedAttempts\n        p50\n        p95\n        failingSince\n        steps {\n          startsAt\n          attempts\n          failedAttempts\n          p50\n          p95\n        }\n      }\n    }\n  }\n": types.EndpointStatisticsDocument,
    "\n  query EndpointResults {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          id\n          statistics {\n            attempts\n            failedAttempts\n            p95\n            failingSince\n          }\n        }\n      }\n    }\n  }\n": types.EndpointResultsDocument,
    "\n  query EndpointBacklogs {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          id\n          ...EndpointBacklog\n        }\n      }\n    }\n  }\n  fragment EndpointBacklog on WebhookEndpoint {\n    backlog\n    oldestWaitingAt\n    scheduledRetries\n  }\n": types.EndpointBacklogsDocument,
    "\n  query Endpoints {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          ...EndpointRow\n        }\n      }\n    }\n  }\n  fragment EndpointRow on WebhookEndpoint {\n    id\n    url\n    description\n    events\n    filter\n    payload\n    enabled\n    disabledReason\n    circuit {\n      state\n      since\n      reason\n    }\n    headers\n    authentication {\n      oauth2 {\n        tokenUrl\n        clientId\n        scope\n        audience\n        clientAuthentication\n      }\n      mtls {\n        certificateExpiresAt\n        certificateSubject\n      }\n    }\n    signing\n    publicKey\n    previousSecretExpiresAt\n    timeoutSeconds\n    paused\n    autoRecover\n    ordering\n    rateLimit {\n      count\n      perSeconds\n    }\n    createdAt\n    updatedAt\n  }\n": types.EndpointsDocument,
    "\n  query Endpoint($id: Int!) {\n    webhookEndpoint(id: $id) {\n      ...EndpointRow\n    }\n  }\n": types.EndpointDocument,
    "\n  mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {\n    updateWebhookEndpoint(id: $id, input: $input) {\n      id\n    }\n  }\n": types.UpdateEndpointDocument,
    "\n  mutation DeleteEventFeed($name: String!) {\n    deleteEventFeed(name: $name) {\n      name\n    }\n  }\n": types.DeleteEventFeedDocument,
    "\n  query EventFeeds {\n    eventFeeds {\n      name\n      consumer\n      heldUntil\n      usedAt\n      behind\n      behindSince\n      lost\n    }\n  }\n": types.EventFeedsDocument,
    "\n  mutation SeekEventFeed($name: String!, $to: String!) {\n    seekEventFeed(name: $name, to: $to) {\n      name\n    }\n  }\n": types.SeekEventFeedDocument,
    "\n  query EventTypes {\n    eventTypes {\n      name\n      description\n    }\n  }\n": types.EventTypesDocument,
    "\n  query CustomerCheck {\n    viewer {\n      scope\n    }\n  }\n": types.CustomerCheckDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TenantOptions($first: Int!) {\n    tenants(first: $first) {\n      edges {\n        node {\n          customerId\n          name\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').TenantOptionsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CustomerName {\n    viewer {\n      tenant {\n        name\n      }\n    }\n  }\n"): typeof import('./graphql.ts').CustomerNameDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AuditLog($after: String, $action: String) {\n    auditLog(first: 50, after: $after, action: $action) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          id\n          at\n          action\n          actor {\n            type\n            id\n            name\n            prefix\n          }\n          clientAddress\n          target {\n            type\n            id\n          }\n          outcome\n          count\n          before\n          after\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').AuditLogDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CloseConversation($id: ID!) {\n    closeConversation(conversationId: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').CloseConversationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation MarkOutcome($id: ID!, $category: String) {\n    markOutcome(conversationId: $id, category: $category) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').MarkOutcomeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RecentOutcomes {\n    conversations(first: 100) {\n      edges {\n        node {\n          outcome {\n            category\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').RecentOutcomesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ConversationPayloads($id: ID!) {\n    conversation(id: $id) {\n      events {\n        id\n        payload\n      }\n    }\n  }\n"): typeof import('./graphql.ts').ConversationPayloadsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Transcript($id: ID!, $first: Int!, $after: String) {\n    conversation(id: $id) {\n      transcript(first: $first, after: $after) {\n        pageInfo {\n          endCursor\n        }\n        edges {\n          node {\n            id\n            role\n            text\n            sentAt\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').TranscriptDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Conversation($id: ID!) {\n    conversation(id: $id) {\n      id\n      visitorId\n      status\n      converted\n      goal\n      startedAt\n      endedAt\n      messageCount\n      identity {\n        resolvedPersonId\n        firstName\n        lastName\n        email\n        company\n        jobTitle\n      }\n      outcome {\n        category\n        markedAt\n      }\n      conversions {\n        id\n        type\n        goal\n        value\n        recordedAt\n      }\n      resolutions {\n        id\n        resolvedPersonId\n        resolvedCompany\n        recordedAt\n      }\n      handoffs {\n        id\n        schemaName\n        urgency\n        reason\n        requestedAt\n      }\n      events {\n        id\n        event\n        createdAt\n      }\n    }\n  }\n"): typeof import('./graphql.ts').ConversationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription ConversationChange($id: ID!) {\n    conversationUpdated(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').ConversationChangeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Conversations(\n    $after: String\n    $status: ConversationStatus\n    $converted: Boolean\n    $since: DateTime\n    $text: String\n    $email: String\n    $visitorId: String\n    $resolvedPersonId: String\n    $company: String\n  ) {\n    conversations(\n      first: 50\n      after: $after\n      status: $status\n      converted: $converted\n      since: $since\n      text: $text\n      email: $email\n      visitorId: $visitorId\n      resolvedPersonId: $resolvedPersonId\n      company: $company\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          id\n          visitorId\n          status\n          converted\n          goal\n          startedAt\n          messageCount\n          identity {\n            firstName\n            lastName\n            email\n            company\n            resolvedPersonId\n          }\n          outcome {\n            category\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').ConversationsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription ConversationChanges {\n    conversationUpdated {\n      id\n      visitorId\n      status\n      converted\n      goal\n      startedAt\n      messageCount\n      identity {\n        firstName\n        lastName\n        email\n        company\n        resolvedPersonId\n      }\n      outcome {\n        category\n      }\n    }\n  }\n"): typeof import('./graphql.ts').ConversationChangesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateTenant($input: CreateTenantInput!) {\n    createTenant(input: $input) {\n      customerId\n    }\n  }\n"): typeof import('./graphql.ts').CreateTenantDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateApiKey($input: CreateApiKeyInput!) {\n    createApiKey(input: $input) {\n      key\n      apiKey {\n        id\n      }\n    }\n  }\n"): typeof import('./graphql.ts').CreateApiKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CustomerHealth($since: DateTime!) {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          enabled\n          disabledReason\n          circuit {\n            state\n          }\n        }\n      }\n    }\n    webhookDeliveries(first: 1, status: failed, since: $since) {\n      edges {\n        node {\n          id\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').CustomerHealthDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Tenants($after: String) {\n    tenants(first: 50, after: $after) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          customerId\n          orgId\n          name\n          createdAt\n          suspendedAt\n          deletionStartedAt\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').TenantsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteTenant($customerId: Int!, $input: DeleteTenantInput!) {\n    deleteTenant(customerId: $customerId, input: $input) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').DeleteTenantDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TenantDeletion($customerId: Int!) {\n    tenantDeletion(customerId: $customerId) {\n      status\n      dryRun\n      error\n      counts {\n        collection\n        count\n      }\n    }\n  }\n"): typeof import('./graphql.ts').TenantDeletionDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RevokeApiKey($id: ID!) {\n    revokeApiKey(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').RevokeApiKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ApiKeys($after: String, $text: String, $scope: KeyScope, $state: KeyState, $customerId: Int) {\n    apiKeys(\n      first: 50\n      after: $after\n      text: $text\n      scope: $scope\n      state: $state\n      customerId: $customerId\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          id\n          name\n          state\n          scope\n          resources\n          networks\n          customerId\n          prefix\n          createdAt\n          expiresAt\n          expiresSoon\n          lastUsedAt\n          lastUsedAddress\n          revokedAt\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').ApiKeysDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RotateApiKey($id: ID!, $overlapSeconds: Int!) {\n    rotateApiKey(id: $id, overlapSeconds: $overlapSeconds) {\n      key\n    }\n  }\n"): typeof import('./graphql.ts').RotateApiKeyDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SuspendTenant($customerId: Int!) {\n    suspendTenant(customerId: $customerId) {\n      customerId\n    }\n  }\n"): typeof import('./graphql.ts').SuspendTenantDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ResumeTenant($customerId: Int!) {\n    resumeTenant(customerId: $customerId) {\n      customerId\n    }\n  }\n"): typeof import('./graphql.ts').ResumeTenantDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DriftAlerts($model: String, $stage: String) {\n    active: driftAlerts(model: $model, stage: $stage, status: active) {\n      ...DriftAlertDetails\n    }\n    acknowledged: driftAlerts(model: $model, stage: $stage, status: acknowledged) {\n      ...DriftAlertDetails\n    }\n    cleared: driftAlerts(model: $model, stage: $stage, status: cleared, limit: 20) {\n      ...DriftAlertDetails\n    }\n  }\n  fragment DriftAlertDetails on DriftAlert {\n    id\n    scope\n    stage\n    feature\n    status\n    since\n    clearedAt\n    score\n    threshold\n    features {\n      feature\n      score\n      threshold\n      bin {\n        lower\n        upper\n        category\n        missing\n      }\n      exampleIds\n    }\n    acknowledgement {\n      note\n      until\n      at\n    }\n  }\n"): typeof import('./graphql.ts').DriftAlertsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation AcknowledgeDriftAlert($id: ID!, $note: String!, $until: DateTime) {\n    acknowledgeDriftAlert(id: $id, note: $note, until: $until) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').AcknowledgeDriftAlertDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation WithdrawDriftAcknowledgement($id: ID!) {\n    withdrawDriftAcknowledgement(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').WithdrawDriftAcknowledgementDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CheckDrift($stage: String, $model: String) {\n    triggerDriftCheck(stage: $stage, model: $model) {\n      success\n    }\n  }\n"): typeof import('./graphql.ts').CheckDriftDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DriftStatus($stage: String, $model: String) {\n    driftStatus(stage: $stage, model: $model) {\n      isDrifted\n      driftScore\n      threshold\n      method\n      lastChecked\n      insufficientData\n      components {\n        features\n        prediction\n        outcome\n      }\n      componentDetails {\n        features {\n          ...ComponentDetail\n        }\n        prediction {\n          ...ComponentDetail\n        }\n        outcome {\n          ...ComponentDetail\n        }\n      }\n      rows {\n        reference\n        current\n      }\n      featureDrifts {\n        feature\n        score\n        drifted\n        insufficientData\n        type\n        weight\n        threshold\n        noise\n        significant\n        rowsNeeded\n        noData\n        missing {\n          reference\n          current\n        }\n        newCategoryShare\n        newCategories {\n          count\n        }\n        vanishedCategories {\n          count\n        }\n      }\n    }\n  }\n  fragment ComponentDetail on DriftComponentDetail {\n    noise\n    significant\n    rowsNeeded\n    coverage {\n      reference\n      current\n    }\n  }\n"): typeof import('./graphql.ts').DriftStatusDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DriftStages($model: String) {\n    driftStages(model: $model) {\n      stage\n    }\n  }\n"): typeof import('./graphql.ts').DriftStagesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DriftHistory($stage: String, $overall: Boolean, $feature: String, $model: String) {\n    driftHistory(stage: $stage, overall: $overall, feature: $feature, model: $model, limit: 200) {\n      id\n      driftScore\n      isDrifted\n      insufficientData\n      checkedAt\n      components {\n        features\n        prediction\n        outcome\n      }\n      rows {\n        reference\n        current\n      }\n      featureScore\n    }\n  }\n"): typeof import('./graphql.ts').DriftHistoryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DriftFeature($feature: String!, $stage: String, $model: String) {\n    driftFeature(feature: $feature, stage: $stage, model: $model) {\n      score\n      driftedSince\n      drifted\n      insufficientData\n      type\n      weight\n      threshold\n      noise\n      significant\n      rowsNeeded\n      noData\n      jensenShannon\n      wasserstein\n      outOfRange\n      rows {\n        reference\n        current\n      }\n      missing {\n        reference\n        current\n      }\n      coverage {\n        reference\n        current\n      }\n      newCategoryShare\n      newCategories {\n        count\n        names\n      }\n      vanishedCategories {\n        count\n        names\n      }\n      bins {\n        lower\n        upper\n        category\n        missing\n        reference {\n          count\n          share\n        }\n        current {\n          count\n          share\n        }\n        contribution\n      }\n      otherCategories {\n        count\n        contribution\n      }\n    }\n  }\n"): typeof import('./graphql.ts').DriftFeatureDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DriftMutes($model: String) {\n    driftMutes(model: $model) {\n      id\n      stage\n      feature\n      note\n      until\n    }\n  }\n"): typeof import('./graphql.ts').DriftMutesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation MuteDriftFeature($feature: String!, $model: String, $stage: String, $note: String, $until: DateTime) {\n    muteDriftFeature(feature: $feature, model: $model, stage: $stage, note: $note, until: $until) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').MuteDriftFeatureDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UnmuteDriftFeature($feature: String!, $model: String, $stage: String) {\n    unmuteDriftFeature(feature: $feature, model: $model, stage: $stage) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').UnmuteDriftFeatureDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DriftFeatureSettings($model: String) {\n    driftFeatureSettings(model: $model) {\n      feature\n      weight\n      threshold\n    }\n  }\n"): typeof import('./graphql.ts').DriftFeatureSettingsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetDriftFeatureSettings($features: [DriftFeatureSettingInput!]!, $model: String) {\n    setDriftFeatureSettings(features: $features, model: $model) {\n      feature\n    }\n  }\n"): typeof import('./graphql.ts').SetDriftFeatureSettingsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DriftModels {\n    driftModels\n  }\n"): typeof import('./graphql.ts').DriftModelsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DriftPerformance($stage: String, $model: String) {\n    driftPerformance(stage: $stage, model: $model) {\n      isProbabilistic\n      weeks {\n        week\n        rows\n        outcomes\n        calibrationError\n        auc\n        accuracy\n        estimatedAccuracy\n      }\n    }\n  }\n"): typeof import('./graphql.ts').DriftPerformanceDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DriftPlannedChanges($model: String, $stage: String) {\n    driftPlannedChanges(model: $model, stage: $stage, limit: 200) {\n      id\n      stage\n      type\n      title\n      note\n      startsAt\n      endsAt\n    }\n  }\n"): typeof import('./graphql.ts').DriftPlannedChangesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateDriftPlannedChange(\n    $type: DriftPlannedChangeType!\n    $title: String!\n    $startsAt: DateTime!\n    $endsAt: DateTime\n    $note: String\n    $model: String\n    $stage: String\n  ) {\n    createDriftPlannedChange(\n      type: $type\n      title: $title\n      startsAt: $startsAt\n      endsAt: $endsAt\n      note: $note\n      model: $model\n      stage: $stage\n    ) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').CreateDriftPlannedChangeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteDriftPlannedChange($id: ID!) {\n    deleteDriftPlannedChange(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').DeleteDriftPlannedChangeDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DisconnectRecorder {\n    disconnectRecorder\n  }\n"): typeof import('./graphql.ts').DisconnectRecorderDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ConnectRecorder($apiKey: String!) {\n    connectRecorder(apiKey: $apiKey) {\n      status\n    }\n  }\n"): typeof import('./graphql.ts').ConnectRecorderDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription SyncProgress {\n    meetingSyncProgress {\n      ...SyncRun\n    }\n  }\n"): typeof import('./graphql.ts').SyncProgressDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RecorderWebhook {\n    recorderWebhook {\n      path\n      hasSecret\n    }\n  }\n"): typeof import('./graphql.ts').RecorderWebhookDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RotateRecorderWebhook {\n    rotateRecorderWebhook {\n      path\n    }\n  }\n"): typeof import('./graphql.ts').RotateRecorderWebhookDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetRecorderWebhookSecret($secret: String) {\n    setRecorderWebhookSecret(secret: $secret) {\n      hasSecret\n    }\n  }\n"): typeof import('./graphql.ts').SetRecorderWebhookSecretDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Meeting($id: String!) {\n    meeting(recorderMeetingId: $id) {\n      recorderMeetingId\n      title\n      startedAt\n      endedAt\n      participantsJson {\n        name\n        email\n        role\n      }\n      summaryText\n      sentimentScore\n      storedAt\n      deletedAt\n      warnings {\n        path\n        reason\n      }\n    }\n  }\n"): typeof import('./graphql.ts').MeetingDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query MeetingTranscript($id: String!) {\n    meeting(recorderMeetingId: $id) {\n      transcriptJson {\n        speaker\n        text\n        startTime\n        endTime\n      }\n    }\n  }\n"): typeof import('./graphql.ts').MeetingTranscriptDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query MeetingActivities($after: String, $personExternalId: String) {\n    meetingActivities(first: 50, after: $after, personExternalId: $personExternalId) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          externalId\n          occurredAt\n          personExternalId\n          properties\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').MeetingActivitiesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Meetings($after: String, $since: DateTime, $search: String, $includeDeleted: Boolean) {\n    meetings(first: 50, after: $after, since: $since, search: $search, includeDeleted: $includeDeleted) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          recorderMeetingId\n          title\n          startedAt\n          endedAt\n          storedAt\n          deletedAt\n          participantsJson {\n            name\n            email\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').MeetingsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query MeetingSearch($query: String!, $since: DateTime, $after: String) {\n    meetingSearch(first: 20, after: $after, query: $query, since: $since) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          meeting {\n            recorderMeetingId\n            title\n            startedAt\n          }\n          matches {\n            field\n            snippet\n            highlights {\n              start\n              end\n            }\n            segment {\n              index\n              speaker\n              startTime\n            }\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').MeetingSearchDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query MeetingSearchBacklog {\n    meetingSearchBacklog\n  }\n"): typeof import('./graphql.ts').MeetingSearchBacklogDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FieldMapping {\n    recorderFieldMapping {\n      sourceField: sourcePointer\n      targetField\n      transform\n      required\n    }\n  }\n"): typeof import('./graphql.ts').FieldMappingDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateFieldMapping($mappings: [FieldMappingInput!]!) {\n    updateRecorderFieldMapping(mappings: $mappings) {\n      sourceField: sourcePointer\n      targetField\n      transform\n      required\n    }\n  }\n"): typeof import('./graphql.ts').UpdateFieldMappingDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query MappingPreview($mappings: [FieldMappingInput!]!, $id: String) {\n    recorderFieldMappingPreview(mappings: $mappings, recorderMeetingId: $id) {\n      recorderMeetingId\n      hasRecord\n      fields {\n        sourcePointer\n        targetField\n        value\n        warnings\n      }\n      activity {\n        externalId\n        properties\n      }\n    }\n  }\n"): typeof import('./graphql.ts').MappingPreviewDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Reprojection {\n    activityReprojection {\n      status\n      total\n      done\n      withoutRecord\n      skipped\n      finishedAt\n      estimatedRemainingSeconds\n    }\n  }\n"): typeof import('./graphql.ts').ReprojectionDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SyncLog($id: ID!, $after: String) {\n    meetingSyncRun(id: $id) {\n      log(first: 50, after: $after) {\n        pageInfo {\n          hasNextPage\n          endCursor\n        }\n        edges {\n          cursor\n          node {\n            at\n            type\n            page\n            count\n            durationMs\n            detail\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').SyncLogDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SyncRunDetails($id: ID!) {\n    meetingSyncRun(id: $id) {\n      ...SyncRun\n    }\n  }\n"): typeof import('./graphql.ts').SyncRunDetailsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SyncMeetings($since: DateTime, $until: DateTime, $fullResync: Boolean) {\n    syncMeetings(since: $since, until: $until, fullResync: $fullResync) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').SyncMeetingsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CancelMeetingSync {\n    cancelMeetingSync {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').CancelMeetingSyncDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PauseMeetingSync {\n    pauseMeetingSync {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').PauseMeetingSyncDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ResumeMeetingSync {\n    resumeMeetingSync {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').ResumeMeetingSyncDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SyncRuns($after: String) {\n    meetingSyncRuns(first: 10, after: $after) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          ...SyncRun\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').SyncRunsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Recorder {\n    recorderConnection {\n      ...Connection\n    }\n  }\n  fragment Connection on RecorderConnection {\n    status\n    connectedAt\n    lastSyncAt\n    nextSyncAt\n    lastRun {\n      ...SyncRun\n    }\n  }\n  fragment SyncRun on MeetingSyncRun {\n    id\n    status\n    scope\n    since\n    until\n    startedAt\n    finishedAt\n    pages\n    fetched\n    stored\n    updated\n    unchanged\n    rejected\n    warnings\n    warningDetails {\n      meeting\n      path\n      reason\n    }\n    skipped\n    suppressed\n    rateLimited\n    oldestMeetingAt\n    meetingsPerMinute\n    estimatedRemainingSeconds\n    error {\n      code\n      message\n    }\n  }\n"): typeof import('./graphql.ts').RecorderDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Health {\n    health {\n      status\n      version\n      uptimeSeconds\n      database {\n        status\n        latencyMs\n      }\n      sidecar {\n        status\n        latencyMs\n        modelVersion\n      }\n      jobs {\n        status\n        lastRunAt\n      }\n      auditLog {\n        status\n      }\n      encryption {\n        status\n      }\n      outboundProxy {\n        status\n        error\n      }\n    }\n  }\n"): typeof import('./graphql.ts').HealthDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query HandedOffConversations {\n    conversations(first: 50, status: handed_off) {\n      pageInfo {\n        hasNextPage\n      }\n      edges {\n        node {\n          id\n          visitorId\n          identity {\n            firstName\n            lastName\n            email\n          }\n          handoffs {\n            id\n            urgency\n            requestedAt\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').HandedOffConversationsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query LatestFailed($since: DateTime!) {\n    webhookDeliveries(first: 1, status: failed, since: $since) {\n      edges {\n        node {\n          id\n          lastAttemptAt\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').LatestFailedDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RecentActivity($since: DateTime!) {\n    activity(since: $since) {\n      events {\n        event\n        count\n      }\n      deliveries {\n        status\n        count\n      }\n      conversations {\n        status\n        count\n      }\n    }\n    webhookDeliveries(first: 1, status: failed) {\n      edges {\n        node {\n          id\n          lastAttemptAt\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').RecentActivityDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ErasePerson($input: ErasePersonInput!) {\n    erasePerson(input: $input) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').ErasePersonDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Erasure($id: ID!) {\n    erasure(id: $id) {\n      id\n      status\n      dryRun\n      error\n      counts {\n        kind\n        count\n      }\n    }\n  }\n"): typeof import('./graphql.ts').ErasureDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Erasures {\n    erasures(first: 10) {\n      edges {\n        node {\n          id\n          status\n          dryRun\n          suppress\n          startedAt\n          counts {\n            count\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').ErasuresDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Retention {\n    retention {\n      conversations\n      transcripts\n      meetings\n      previewEvents\n      eventsAndDeliveries\n      auditLog\n      lastRunAt\n      failed\n      removed {\n        conversations\n        transcripts\n        meetings\n        previewEvents\n        eventsAndDeliveries\n        auditLog\n      }\n    }\n  }\n"): typeof import('./graphql.ts').RetentionDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RetentionPreview(\n    $conversations: Int\n    $transcripts: Int\n    $meetings: Int\n    $previewEvents: Int\n    $eventsAndDeliveries: Int\n    $auditLog: Int\n  ) {\n    retentionPreview(\n      conversations: $conversations\n      transcripts: $transcripts\n      meetings: $meetings\n      previewEvents: $previewEvents\n      eventsAndDeliveries: $eventsAndDeliveries\n      auditLog: $auditLog\n    ) {\n      conversations\n      transcripts\n      meetings\n      previewEvents\n      eventsAndDeliveries\n      auditLog\n    }\n  }\n"): typeof import('./graphql.ts').RetentionPreviewDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateRetention($input: UpdateRetentionInput!) {\n    updateRetention(input: $input) {\n      updatedAt\n    }\n  }\n"): typeof import('./graphql.ts').UpdateRetentionDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ConsoleSessions {\n    consoleSessions {\n      id\n      startedAt\n      lastUsedAt\n      expiresAt\n      address\n      isCurrent\n    }\n  }\n"): typeof import('./graphql.ts').ConsoleSessionsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EndConsoleSession($id: ID!) {\n    endConsoleSession(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').EndConsoleSessionDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Deliveries(\n    $first: Int!\n    $after: String\n    $endpointId: Int\n    $status: WebhookDeliveryStatus\n    $event: String\n    $eventId: ID\n    $conversationId: ID\n    $text: String\n    $since: DateTime\n    $until: DateTime\n  ) {\n    webhookDeliveries(\n      first: $first\n      after: $after\n      endpointId: $endpointId\n      status: $status\n      event: $event\n      eventId: $eventId\n      conversationId: $conversationId\n      text: $text\n      since: $since\n      until: $until\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          ...DeliveryRow\n        }\n      }\n    }\n  }\n  fragment DeliveryRow on WebhookDelivery {\n    id\n    endpointId\n    eventId\n    event\n    status\n    attempt\n    nextRetryAt\n    waitingFor\n    createdAt\n    lastAttemptAt\n    responseStatus\n    error\n    failureReason\n    durationMs\n  }\n"): typeof import('./graphql.ts').DeliveriesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeliveriesWithSubjects(\n    $first: Int!\n    $after: String\n    $endpointId: Int\n    $status: WebhookDeliveryStatus\n    $event: String\n    $eventId: ID\n    $conversationId: ID\n    $text: String\n    $since: DateTime\n    $until: DateTime\n  ) {\n    webhookDeliveries(\n      first: $first\n      after: $after\n      endpointId: $endpointId\n      status: $status\n      event: $event\n      eventId: $eventId\n      conversationId: $conversationId\n      text: $text\n      since: $since\n      until: $until\n    ) {\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      edges {\n        node {\n          ...DeliveryRow\n          ...DeliverySubject\n        }\n      }\n    }\n  }\n  fragment DeliverySubject on WebhookDelivery {\n    sourceEvent {\n      conversionType\n      visitorId\n      conversation {\n        id\n        visitorId\n        goal\n        identity {\n          firstName\n          lastName\n          email\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').DeliveriesWithSubjectsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription DeliveryChanges($endpointId: Int) {\n    webhookDeliveryUpdated(endpointId: $endpointId) {\n      ...DeliveryRow\n    }\n  }\n"): typeof import('./graphql.ts').DeliveryChangesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ExplainDelivery($eventId: ID!, $endpointId: Int!) {\n    explainDelivery(eventId: $eventId, endpointId: $endpointId) {\n      reason\n      message\n    }\n  }\n"): typeof import('./graphql.ts').ExplainDeliveryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ResendDelivery($id: ID!) {\n    resendWebhookDelivery(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').ResendDeliveryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SearchedDelivery($id: ID!) {\n    webhookDelivery(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').SearchedDeliveryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SearchedEvent($id: ID!) {\n    webhookEvent(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').SearchedEventDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SearchedConversation($id: ID!) {\n    conversation(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').SearchedConversationDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeliveryDetail($id: ID!) {\n    webhookDelivery(id: $id) {\n      ...DeliveryRow\n      payload\n      scheduledAttempts\n      manualAttempts\n      attempts {\n        number\n        at\n        manual\n        probe\n        responseStatus\n        responseBody\n        requestHeaders {\n          name\n          value\n        }\n        responseHeaders {\n          name\n          value\n        }\n        error\n        durationMs\n      }\n    }\n  }\n"): typeof import('./graphql.ts').DeliveryDetailDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeliverySubjectOf($id: ID!) {\n    webhookDelivery(id: $id) {\n      ...DeliverySubject\n    }\n  }\n"): typeof import('./graphql.ts').DeliverySubjectOfDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query EndpointCatchUp($id: Int!, $since: DateTime!) {\n    webhookEndpoint(id: $id) {\n      succeeded: deliveries(first: 1, status: succeeded) {\n        edges {\n          node {\n            ...CatchUpDelivery\n          }\n        }\n      }\n      retrying: deliveries(first: 1, status: retrying) {\n        edges {\n          node {\n            ...CatchUpDelivery\n          }\n        }\n      }\n      failed: deliveries(first: 10, status: failed, since: $since) {\n        edges {\n          node {\n            ...CatchUpDelivery\n            attempts {\n              manual\n              responseStatus\n            }\n          }\n        }\n      }\n      cancelled: deliveries(first: 1, status: cancelled, since: $since) {\n        edges {\n          node {\n            eventId\n          }\n        }\n      }\n    }\n  }\n  fragment CatchUpDelivery on WebhookDelivery {\n    error\n    failureReason\n    lastAttemptAt\n    nextRetryAt\n    waitingFor\n  }\n"): typeof import('./graphql.ts').EndpointCatchUpDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateEndpoint($input: CreateWebhookEndpointInput!) {\n    createWebhookEndpoint(input: $input) {\n      secret\n      endpoint {\n        id\n        publicKey\n      }\n    }\n  }\n"): typeof import('./graphql.ts').CreateEndpointDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CancelBacklog($id: Int!) {\n    cancelWebhookBacklog(endpointId: $id) {\n      cancelled\n    }\n  }\n"): typeof import('./graphql.ts').CancelBacklogDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RotateSecret($id: Int!, $overlapSeconds: Int!) {\n    rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) {\n      secret\n      publicKey\n    }\n  }\n"): typeof import('./graphql.ts').RotateSecretDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteEndpoint($id: Int!) {\n    deleteWebhookEndpoint(id: $id) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').DeleteEndpointDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query MonitoredEndpoints {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          ...EndpointRow\n          ...LatestAttempts\n        }\n      }\n    }\n  }\n  fragment LatestAttempts on WebhookEndpoint {\n    succeeded: deliveries(first: 1, status: succeeded) {\n      edges {\n        node {\n          ...LatestAttempt\n        }\n      }\n    }\n    retrying: deliveries(first: 1, status: retrying) {\n      edges {\n        node {\n          ...LatestAttempt\n        }\n      }\n    }\n    failed: deliveries(first: 1, status: failed) {\n      edges {\n        node {\n          ...LatestAttempt\n        }\n      }\n    }\n  }\n  fragment LatestAttempt on WebhookDelivery {\n    error\n    lastAttemptAt\n  }\n"): typeof import('./graphql.ts').MonitoredEndpointsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ListedEndpoints {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          ...EndpointRow\n          ...LatestAttempts\n          deliveries(first: 1) {\n            edges {\n              node {\n                id\n                status\n                createdAt\n              }\n            }\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').ListedEndpointsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RecoverDeliveries($endpointId: Int!, $since: DateTime!, $until: DateTime, $dryRun: Boolean!) {\n    recoverWebhookDeliveries(endpointId: $endpointId, since: $since, until: $until, dryRun: $dryRun) {\n      queued\n      open\n    }\n  }\n"): typeof import('./graphql.ts').RecoverDeliveriesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ReplayDeliveries(\n    $endpointId: Int!\n    $since: DateTime!\n    $until: DateTime\n    $status: WebhookDeliveryStatus\n    $dryRun: Boolean!\n  ) {\n    replayWebhookDeliveries(\n      endpointId: $endpointId\n      since: $since\n      until: $until\n      status: $status\n      dryRun: $dryRun\n    ) {\n      count\n    }\n  }\n"): typeof import('./graphql.ts').ReplayDeliveriesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RetryBacklog(\n    $endpointId: Int!\n    $since: DateTime!\n    $until: DateTime\n    $event: String\n    $dryRun: Boolean!\n  ) {\n    retryWebhookBacklog(\n      endpointId: $endpointId\n      since: $since\n      until: $until\n      event: $event\n      dryRun: $dryRun\n    ) {\n      count\n    }\n  }\n"): typeof import('./graphql.ts').RetryBacklogDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SendTestEvent($endpointId: Int!, $event: String!, $data: JSON) {\n    sendTestWebhook(endpointId: $endpointId, event: $event, data: $data) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').SendTestEventDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query EventExamples {\n    eventTypes {\n      name\n      example\n    }\n  }\n"): typeof import('./graphql.ts').EventExamplesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query EndpointStatistics($id: Int!) {\n    webhookEndpoint(id: $id) {\n      ...EndpointBacklog\n      statistics {\n        succeeded\n        failed\n        attempts\n        failedAttempts\n        p50\n        p95\n        failingSince\n        steps {\n          startsAt\n          attempts\n          failedAttempts\n          p50\n          p95\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').EndpointStatisticsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query EndpointResults {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          id\n          statistics {\n            attempts\n            failedAttempts\n            p95\n            failingSince\n          }\n        }\n      }\n    }\n  }\n"): typeof import('./graphql.ts').EndpointResultsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query EndpointBacklogs {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          id\n          ...EndpointBacklog\n        }\n      }\n    }\n  }\n  fragment EndpointBacklog on WebhookEndpoint {\n    backlog\n    oldestWaitingAt\n    scheduledRetries\n  }\n"): typeof import('./graphql.ts').EndpointBacklogsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Endpoints {\n    webhookEndpoints(first: 50) {\n      edges {\n        node {\n          ...EndpointRow\n        }\n      }\n    }\n  }\n  fragment EndpointRow on WebhookEndpoint {\n    id\n    url\n    description\n    events\n    filter\n    payload\n    enabled\n    disabledReason\n    circuit {\n      state\n      since\n      reason\n    }\n    headers\n    authentication {\n      oauth2 {\n        tokenUrl\n        clientId\n        scope\n        audience\n        clientAuthentication\n      }\n      mtls {\n        certificateExpiresAt\n        certificateSubject\n      }\n    }\n    signing\n    publicKey\n    previousSecretExpiresAt\n    timeoutSeconds\n    paused\n    autoRecover\n    ordering\n    rateLimit {\n      count\n      perSeconds\n    }\n    createdAt\n    updatedAt\n  }\n"): typeof import('./graphql.ts').EndpointsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Endpoint($id: Int!) {\n    webhookEndpoint(id: $id) {\n      ...EndpointRow\n    }\n  }\n"): typeof import('./graphql.ts').EndpointDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {\n    updateWebhookEndpoint(id: $id, input: $input) {\n      id\n    }\n  }\n"): typeof import('./graphql.ts').UpdateEndpointDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteEventFeed($name: String!) {\n    deleteEventFeed(name: $name) {\n      name\n    }\n  }\n"): typeof import('./graphql.ts').DeleteEventFeedDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query EventFeeds {\n    eventFeeds {\n      name\n      consumer\n      heldUntil\n      usedAt\n      behind\n      behindSince\n      lost\n    }\n  }\n"): typeof import('./graphql.ts').EventFeedsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SeekEventFeed($name: String!, $to: String!) {\n    seekEventFeed(name: $name, to: $to) {\n      name\n    }\n  }\n"): typeof import('./graphql.ts').SeekEventFeedDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query EventTypes {\n    eventTypes {\n      name\n      description\n    }\n  }\n"): typeof import('./graphql.ts').EventTypesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CustomerCheck {\n    viewer {\n      scope\n    }\n  }\n"): typeof import('./graphql.ts').CustomerCheckDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
