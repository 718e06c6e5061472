import Addresses
import CMiniUPnPc
import Concurrency
import Foundation

/// A router that is found by SSDP and controlled by SOAP: UPnP's Internet Gateway Device, through libminiupnpc.
struct UPnPGateway: MappingGateway {
  let method = PortMapping.Method.upnp
  private let controlURL: String
  private let serviceType: String
  /// This machine's address, as the router sees it.
  private let localAddress: String

  /// The time to wait for answers to the search, over which devices spread them (MX of SSDP).
  private static let searchTime = Duration.seconds(2)
  /// The time to wait for one answer. libminiupnpc itself gives up on a silent router after some seconds.
  private static let patience = Duration.seconds(5)
  /// The name in the router's list of mappings, without any information about the party.
  private static let label = "matinee"
  private static let protocolName = "TCP"

  /// Returns the first router on this network; nil if none answers.
  static func find() async -> UPnPGateway? {
    // The search, and then the descriptions of the devices that answered, over HTTP.
    await OwnedThread.run("upnp-search", atMost: searchTime + .seconds(4)) { search() } ?? nil
  }

  private static func search() -> UPnPGateway? {
    var status: Int32 = 0
    guard
      let devices = upnpDiscover(
        Int32(searchTime.components.seconds * 1000), nil, nil, 0, 0, 2, &status)
    else { return nil }
    defer { freeUPNPDevlist(devices) }
    var urls = UPNPUrls()
    var data = IGDdatas()
    var local = [CChar](repeating: 0, count: 64)
    let isFound = cminiupnpc_find_router(devices, &urls, &data, &local, Int32(local.count)) == 1
    defer { FreeUPNPUrls(&urls) }
    guard isFound, let control = urls.controlURL else { return nil }
    return UPnPGateway(
      controlURL: String(cString: control),
      serviceType: withUnsafeBytes(of: data.first.servicetype, text),
      localAddress: local.withUnsafeBytes(text))
  }

  func externalAddress() async throws(PortMappingError) -> String {
    let (controlURL, serviceType) = (controlURL, serviceType)
    let address = try await call("external address") { address in
      UPNP_GetExternalIPAddress(controlURL, serviceType, address)
    }
    // A router without an address returns an empty text, or zeros.
    guard let scope = AddressScope(of: address), scope != .nowhere else {
      throw Self.error("external address", 501)
    }
    return address
  }

  func map(
    _ port: Int, externalPort: Int, lease: Duration?
  ) async throws(PortMappingError) -> MappingGrant {
    let (controlURL, serviceType, localAddress) = (controlURL, serviceType, localAddress)
    _ = try await call("map port \(port)") { _ in
      // A lease of 0 has no end.
      UPNP_AddPortMapping(
        controlURL, serviceType, "\(externalPort)", "\(port)", localAddress, Self.label,
        Self.protocolName, nil, "\(lease?.components.seconds ?? 0)")
    }
    return MappingGrant(externalPort: externalPort, lease: lease)
  }

  func unmap(_ mapping: PortMapping) async throws(PortMappingError) {
    let (controlURL, serviceType) = (controlURL, serviceType)
    _ = try await call("unmap port \(mapping.port)") { _ in
      UPNP_DeletePortMapping(
        controlURL, serviceType, "\(mapping.externalPort)", Self.protocolName, nil)
    }
  }

  /// Calls libminiupnpc.
  ///
  /// - Parameter body: gets room for a text, and returns libminiupnpc's status.
  private func call(
    _ operation: String, _ body: @escaping @Sendable (UnsafeMutablePointer<CChar>) -> Int32
  ) async throws(PortMappingError) -> String {
    let result = await OwnedThread.run("upnp", atMost: Self.patience) {
      // The longest text that libminiupnpc writes is 128 bytes.
      var room = [CChar](repeating: 0, count: 256)
      let status = room.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
      return (status, room.withUnsafeBytes(Self.text))
    }
    let (status, text) = result ?? (UPNPCOMMAND_HTTP_ERROR, "")
    guard status == UPNPCOMMAND_SUCCESS else { throw Self.error(operation, status) }
    return text
  }

  private static func error(_ operation: String, _ code: Int32) -> PortMappingError {
    let said = strupnperror(code).map { String(cString: $0) } ?? "unknown error"
    // UPnP's own numbers: the table in `upnpcommands.h` at `UPNP_AddPortMapping`.
    let kind: PortMappingError.Kind =
      switch code {
      case UPNPCOMMAND_HTTP_ERROR: .noAnswer
      case 718, 729: .portTaken
      case 725: .onlyPermanentLeases
      case 501 where operation == "external address": .noExternalAddress
      default: .refused
      }
    return PortMappingError(kind: kind, code: code, operation: operation, text: said)
  }

  /// Returns the text up to the first zero.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
