import CAvahi

/// A poll and a client on it, both for the thread that made them. A user of the pointers keeps the connection alive
/// meanwhile.
final class AvahiConnection {
  let poll: OpaquePointer
  let client: OpaquePointer

  /// Connects to the daemon.
  ///
  /// - Parameter callback: called for the first time before this returns.
  init(
    flags: AvahiClientFlags, callback: AvahiClientCallback?, _ data: UnsafeMutableRawPointer?
  ) throws(LocalDiscoveryError) {
    guard let poll = avahi_simple_poll_new() else {
      throw LocalDiscoveryError(code: Int32(AVAHI_ERR_NO_MEMORY), operation: "create a poll")
    }
    var code: Int32 = 0
    guard
      let client = avahi_client_new(avahi_simple_poll_get(poll), flags, callback, data, &code)
    else {
      avahi_simple_poll_free(poll)
      throw LocalDiscoveryError(code: code, operation: "connect to Avahi")
    }
    self.poll = poll
    self.client = client
  }

  deinit {
    // This frees its browsers, resolvers and groups as well.
    avahi_client_free(client)
    avahi_simple_poll_free(poll)
  }
}
