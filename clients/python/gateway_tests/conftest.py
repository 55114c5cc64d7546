pytest_plugins = ["tollgate_client.pytest_plugin"]
