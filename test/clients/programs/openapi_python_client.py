import os

import client_preview
import client_v1
from client_preview.api.events import create_event
from client_preview.models import CreateEventInput, Event
from client_preview.models import ErrorCode as PreviewErrorCode
from client_preview.models import ErrorResponse as PreviewErrorResponse
from client_v1.api.webhook_endpoints import create_webhook_endpoint, get_webhook_endpoint, list_webhook_endpoints
from client_v1.models import (
    CreatedWebhookEndpoint,
    CreateWebhookEndpointInput,
    ErrorCode,
    ErrorResponse,
    WebhookEndpointPage,
)
from client_v1.types import UNSET, Unset

base_url = os.environ["BASE_URL"]
customer_id = int(os.environ["CUSTOMER_ID"])
token = os.environ["WRITE_KEY"]
v1 = client_v1.AuthenticatedClient(base_url=f"{base_url}/api/v1", token=token)
preview = client_preview.AuthenticatedClient(base_url=f"{base_url}/v1", token=token)

created = create_webhook_endpoint.sync(
    customer_id,
    client=v1,
    body=CreateWebhookEndpointInput(
        url="http://127.0.0.1:9/openapi-python-client", events=["conversion.recorded"]
    ),
)
assert isinstance(created, CreatedWebhookEndpoint) and created.secret.startswith("whsec_")

ids: list[int] = []
cursor: str | Unset = UNSET
while True:
    page = list_webhook_endpoints.sync(customer_id, client=v1, limit=1, cursor=cursor)
    assert isinstance(page, WebhookEndpointPage)
    ids.extend(endpoint.id for endpoint in page.data)
    if page.next_cursor is None:
        break
    cursor = page.next_cursor
assert len(set(ids)) == len(ids) > 1 and created.endpoint.id in ids

event = create_event.sync(
    client=preview, body=CreateEventInput(type_="conversion", goal="demo_booked", visitor_id="v_1", value=250)
)
assert isinstance(event, Event) and event.goal == "demo_booked"

missing = get_webhook_endpoint.sync(customer_id, 2_147_483_647, client=v1)
assert isinstance(missing, ErrorResponse) and missing.error.code == ErrorCode.NOT_FOUND
invalid = create_event.sync(client=preview, body=CreateEventInput(type_="conversion", visitor_id="v_1"))
assert isinstance(invalid, PreviewErrorResponse) and invalid.error.code == PreviewErrorCode.VALIDATION_FAILED
assert not isinstance(invalid.error.details, Unset) and invalid.error.details[0].path == "goal"
