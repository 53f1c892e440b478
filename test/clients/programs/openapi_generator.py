import os

import client_preview
import client_v1
from client_preview.exceptions import UnprocessableEntityException
from client_v1.exceptions import NotFoundException

base_url = os.environ["BASE_URL"]
customer_id = int(os.environ["CUSTOMER_ID"])
access_token = os.environ["WRITE_KEY"]

v1_configuration = client_v1.Configuration(host=f"{base_url}/api/v1", access_token=access_token)
endpoints = client_v1.WebhookEndpointsApi(client_v1.ApiClient(v1_configuration))
preview_configuration = client_preview.Configuration(host=f"{base_url}/v1", access_token=access_token)
events = client_preview.EventsApi(client_preview.ApiClient(preview_configuration))

created = endpoints.create_webhook_endpoint(
    customer_id,
    client_v1.CreateWebhookEndpointInput(
        url="http://127.0.0.1:9/openapi-generator",
        events=["conversion.recorded"],
    ),
)
assert created.secret.startswith("whsec_")

ids: list[int] = []
cursor: str | None = None
while True:
    page = endpoints.list_webhook_endpoints(customer_id, limit=1, cursor=cursor)
    ids.extend(endpoint.id for endpoint in page.data)
    cursor = page.next_cursor
    if cursor is None:
        break
assert len(set(ids)) == len(ids) > 1 and created.endpoint.id in ids

event = events.create_event(
    client_preview.CreateEventInput(
        type="conversion", goal="demo_booked", visitor_id="v_1", value=250, properties={"plan": "pro"}
    )
)
assert event.goal == "demo_booked"

try:
    endpoints.get_webhook_endpoint(customer_id, 2_147_483_647)
    raise AssertionError("The request must fail.")
except NotFoundException as error:
    assert error.data.error.code == client_v1.ErrorCode.NOT_FOUND
try:
    events.create_event(client_preview.CreateEventInput(type="conversion", visitor_id="v_1"))
    raise AssertionError("The request must fail.")
except UnprocessableEntityException as error:
    assert error.data.error.code == client_preview.ErrorCode.VALIDATION_FAILED
    assert error.data.error.details[0].path == "goal"
