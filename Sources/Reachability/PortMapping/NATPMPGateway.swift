import Addresses
import CNATPMP
import Concurrency
import Foundation
import Timekeeping

/// The default route's router, asked by NAT-PMP (RFC 6886) through libnatpmp.
struct NATPMPGateway: MappingGateway {
  let method = PortMapping.Method.natPMP
  /// The time to wait for one answer: libnatpmp asks again after 250 ms, 500 ms, 1 s, …
  static let patience = Duration.seconds(2)

  func externalAddress() async throws(PortMappingError) -> String {
    let answer = try await ask("external address", type: NATPMP_RESPTYPE_PUBLICADDRESS) {
      sendpublicaddressrequest(&$0)
    }
    guard AddressScope(of: answer.address) != .nowhere else {
      throw Self.error("external address", NATPMP_ERR_NETWORKFAILURE)
    }
    return answer.address
  }

  func map(
    _ port: Int, externalPort: Int, lease: Duration?
  ) async throws(PortMappingError) -> MappingGrant {
    // This protocol has no leases without end; the longest is 136 years.
    let seconds = lease.map { UInt32(clamping: $0.components.seconds) } ?? .max
    let answer = try await ask("map port \(port)", type: NATPMP_RESPTYPE_TCPPORTMAPPING) {
      sendnewportmappingrequest(
        &$0, NATPMP_PROTOCOL_TCP, UInt16(port), UInt16(externalPort), seconds)
    }
    return MappingGrant(externalPort: answer.port, lease: .seconds(Int64(answer.lifetime)))
  }

  func unmap(_ mapping: PortMapping) async throws(PortMappingError) {
    // A lease of 0 ends it; the outer port is then 0 too (RFC 6886 §3.4).
    _ = try await ask("unmap port \(mapping.port)", type: NATPMP_RESPTYPE_TCPPORTMAPPING) {
      sendnewportmappingrequest(&$0, NATPMP_PROTOCOL_TCP, UInt16(mapping.port), 0, 0)
    }
  }

  private struct Response: Sendable {
    var address = ""
    var port = 0
    var lifetime: UInt32 = 0
  }

  private func ask(
    _ operation: String, type: Int32,
    _ request: @escaping @Sendable (inout natpmp_t) -> Int32
  ) async throws(PortMappingError) -> Response {
    let result = await OwnedThread.run("nat-pmp", atMost: Self.patience + .seconds(1)) {
      Result { () throws(PortMappingError) in
        try Self.exchange(operation, type: type, request)
      }
    }
    guard let result else { throw Self.error(operation, NATPMP_TRYAGAIN) }
    return try result.get()
  }

  /// Sends a request and waits for its answer. Blocks for ``patience`` at most.
  private static func exchange(
    _ operation: String, type: Int32, _ request: (inout natpmp_t) -> Int32
  ) throws(PortMappingError) -> Response {
    var gateway = natpmp_t()
    let opened = initnatpmp(&gateway, 0, 0)
    guard opened == 0 else { throw error(operation, opened) }
    defer { closenatpmp(&gateway) }
    let sent = request(&gateway)
    guard sent > 0 else { throw error(operation, sent) }
    let deadline = HostTime.now() + patience
    while true {
      var wait = timeval()
      let status = getnatpmprequesttimeout(&gateway, &wait)
      guard status == 0 else { throw error(operation, status) }
      let remaining = (deadline - .now()).inMilliseconds
      guard remaining > 0 else { throw error(operation, NATPMP_TRYAGAIN) }
      let pause = min(Double(wait.tv_sec) * 1000 + Double(wait.tv_usec) / 1000, remaining)
      var descriptor = pollfd(fd: gateway.s, events: Int16(POLLIN), revents: 0)
      poll(&descriptor, 1, Int32(max(1, pause.rounded(.up))))
      var response = natpmpresp_t()
      let read = readnatpmpresponseorretry(&gateway, &response)
      if read == NATPMP_TRYAGAIN { continue }
      guard read == 0 else { throw error(operation, read) }
      // An answer to another program's request has another type.
      guard Int32(response.type) == type else { continue }
      return decoded(response)
    }
  }

  private static func decoded(_ response: natpmpresp_t) -> Response {
    switch Int32(response.type) {
    case NATPMP_RESPTYPE_PUBLICADDRESS:
      var address = response.pnu.publicaddress.addr
      var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
      return Response(
        address: String(
          decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    default:
      let mapping = response.pnu.newportmapping
      return Response(port: Int(mapping.mappedpublicport), lifetime: mapping.lifetime)
    }
  }

  private static func error(_ operation: String, _ code: Int32) -> PortMappingError {
    let (kind, text): (PortMappingError.Kind, String) =
      switch code {
      case NATPMP_TRYAGAIN, NATPMP_ERR_NOGATEWAYSUPPORT: (.noAnswer, "no answer")
      case NATPMP_ERR_CANNOTGETGATEWAY: (.noAnswer, "no default route")
      case NATPMP_ERR_NETWORKFAILURE: (.noExternalAddress, "the router has no external address")
      case NATPMP_ERR_NOTAUTHORIZED: (.refused, "not allowed by the router")
      case NATPMP_ERR_OUTOFRESOURCES: (.refused, "the router's table of mappings is full")
      case NATPMP_ERR_UNSUPPORTEDVERSION, NATPMP_ERR_UNSUPPORTEDOPCODE:
        (.refused, "not supported by the router")
      default: (.noAnswer, "the request can't be sent")
      }
    return PortMappingError(kind: kind, code: code, operation: operation, text: text)
  }
}
