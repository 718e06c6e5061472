import Foundation

/// The address of the session bus (D-Bus Specification, "Server Addresses").
enum SessionBusAddress {
  /// Returns the socket's path; nil for other transports, which aren't checked.
  static func path(_ address: String) -> String? {
    for part in address.split(separator: ";") where part.hasPrefix("unix:") {
      for pair in part.dropFirst("unix:".count).split(separator: ",")
      where pair.hasPrefix("path=") {
        return String(pair.dropFirst("path=".count)).removingPercentEncoding
      }
    }
    return nil
  }
}
