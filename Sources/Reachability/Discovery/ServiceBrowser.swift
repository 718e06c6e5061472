import CAvahi
import Concurrency
import Foundation
import Timekeeping

/// Finds announced services on the local network, through this machine's Avahi daemon.
package enum ServiceBrowser {
  /// Returns the services that answer now. A service that is seen through several interfaces is one service, with all
  /// addresses.
  ///
  /// - Parameters:
  ///   - type: the type of service, such as `_ipp._tcp`.
  ///   - limit: the time to wait for answers. The search ends sooner if Avahi thinks that these are all.
  /// - Throws: if there is no daemon, or no D-Bus to reach it.
  package static func services(
    ofType type: String, within limit: Duration = .seconds(3)
  ) async throws(LocalDiscoveryError) -> [LocalService] {
    let result = await OwnedThread.run("avahi-browse", atMost: limit + .seconds(2)) {
      Result { () throws(LocalDiscoveryError) in
        let browsing = try Browsing(type: type)
        return browsing.run(until: .now() + limit)
      }
    }
    guard let result else { throw .stuck }
    return try result.get()
  }

  /// Returns the daemon's name and version: "avahi 0.8".
  ///
  /// - Throws: if there is no daemon, or no D-Bus to reach it.
  package static func daemonVersion() async throws(LocalDiscoveryError) -> String {
    let result = await OwnedThread.run("avahi-version", atMost: .seconds(3)) {
      Result { () throws(LocalDiscoveryError) in
        let connection = try AvahiConnection(flags: AvahiClientFlags(0), callback: nil, nil)
        return try withExtendedLifetime(connection) { () throws(LocalDiscoveryError) in
          guard let text = avahi_client_get_version_string(connection.client) else {
            throw LocalDiscoveryError(
              code: avahi_client_errno(connection.client), operation: "ask for Avahi's version")
          }
          return String(cString: text)
        }
      }
    }
    guard let result else { throw .stuck }
    return try result.get()
  }
}

/// One search, on the thread that runs it: Avahi's callbacks come from within `run`.
private final class Browsing {
  private let connection: AvahiConnection
  private let type: String
  /// The services by name, interface and protocol.
  private var found: [Sight: LocalService] = [:]
  /// The number of resolvers without an answer.
  private var unresolved = 0
  private var isComplete = false

  /// The greatest number of services, so that endless announcements don't fill the memory.
  private static let limit = 64

  private struct Sight: Hashable {
    var name: String
    var interface: AvahiIfIndex
    var proto: AvahiProtocol
  }

  init(type: String) throws(LocalDiscoveryError) {
    self.type = type
    connection = try AvahiConnection(flags: AvahiClientFlags(0), callback: nil, nil)
  }

  func run(until deadline: HostTime) -> [LocalService] {
    let me = Unmanaged.passUnretained(self).toOpaque()
    avahi_service_browser_new(
      connection.client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), type,
      nil, AvahiLookupFlags(0),
      { _, interface, proto, event, name, type, domain, _, data in
        Unmanaged<Browsing>.fromOpaque(data!).takeUnretainedValue()
          .browsed(event, interface, proto, name, type, domain)
      }, me)
    while !isComplete || unresolved > 0 {
      let remaining = (deadline - .now()).inMilliseconds
      guard remaining > 0 else { break }
      // The result isn't zero if the poll was interrupted or the daemon has ended: the services found so far are
      // returned.
      guard avahi_simple_poll_iterate(connection.poll, Int32(remaining.rounded(.up))) == 0 else {
        break
      }
    }
    return merged()
  }

  /// Returns one service for all interfaces through which it was seen.
  private func merged() -> [LocalService] {
    var services: [LocalService] = []
    let sights = found.sorted {
      ($0.key.name, $0.key.interface, $0.key.proto) < ($1.key.name, $1.key.interface, $1.key.proto)
    }
    for sight in sights.map(\.value) {
      let index = services.firstIndex {
        $0.name == sight.name && $0.port == sight.port && $0.attributes == sight.attributes
      }
      guard let index else {
        services.append(sight)
        continue
      }
      for address in sight.addresses where !services[index].addresses.contains(address) {
        services[index].addresses.append(address)
      }
    }
    return services
  }

  private func browsed(
    _ event: AvahiBrowserEvent, _ interface: AvahiIfIndex, _ proto: AvahiProtocol,
    _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?
  ) {
    switch event {
    case AVAHI_BROWSER_NEW where found.count + unresolved < Self.limit:
      let me = Unmanaged.passUnretained(self).toOpaque()
      let resolver = avahi_service_resolver_new(
        connection.client, interface, proto, name, type, domain,
        AvahiProtocol(AVAHI_PROTO_UNSPEC), AvahiLookupFlags(0),
        { resolver, interface, proto, event, name, _, _, _, address, port, texts, _, data in
          Unmanaged<Browsing>.fromOpaque(data!).takeUnretainedValue()
            .resolved(event, interface, proto, name, address, port, texts)
          // The resolver would continue to report changes.
          avahi_service_resolver_free(resolver)
        }, me)
      if resolver != nil { unresolved += 1 }
    case AVAHI_BROWSER_ALL_FOR_NOW, AVAHI_BROWSER_FAILURE: isComplete = true
    // The daemon reported the service from its cache, and has learned now that it is gone.
    case AVAHI_BROWSER_REMOVE:
      if let name {
        found[Sight(name: String(cString: name), interface: interface, proto: proto)] = nil
      }
    default: break
    }
  }

  private func resolved(
    _ event: AvahiResolverEvent, _ interface: AvahiIfIndex, _ proto: AvahiProtocol,
    _ name: UnsafePointer<CChar>?,
    _ address: UnsafePointer<AvahiAddress>?, _ port: UInt16,
    _ texts: UnsafeMutablePointer<AvahiStringList>?
  ) {
    unresolved -= 1
    guard event == AVAHI_RESOLVER_FOUND, let name, let address, port > 0 else { return }
    var text = [CChar](repeating: 0, count: Int(AVAHI_ADDRESS_STR_MAX))
    avahi_address_snprint(&text, text.count, address)
    let numeric = String(
      decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let sight = Sight(name: String(cString: name), interface: interface, proto: proto)
    found[sight] = LocalService(
      name: sight.name, type: type, port: Int(port), attributes: Self.attributes(texts),
      addresses: [numeric])
  }

  /// Returns the attributes. The first value of each key counts (RFC 6763 §6.4).
  private static func attributes(_ texts: UnsafeMutablePointer<AvahiStringList>?) -> [String:
    String]
  {
    var attributes: [String: String] = [:]
    var next = texts
    while let text = next, attributes.count < 16 {
      next = avahi_string_list_get_next(text)
      var key: UnsafeMutablePointer<CChar>?
      var value: UnsafeMutablePointer<CChar>?
      var size = 0
      guard avahi_string_list_get_pair(text, &key, &value, &size) == 0, let key else { continue }
      defer {
        avahi_free(key)
        avahi_free(value)
      }
      let name = String(cString: key)
      guard attributes[name] == nil else { continue }
      let bytes = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : size)
      attributes[name] = String(decoding: bytes, as: UTF8.self)
    }
    return attributes
  }
}
