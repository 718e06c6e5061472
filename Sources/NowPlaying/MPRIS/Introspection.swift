/// The description of a path's contents in D-Bus's introspection format (D-Bus specification, "Introspection Data
/// Format").
enum Introspection {
  private static let head = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>

    """

  /// Returns the introspection document of a path.
  ///
  /// - Parameter hasProperty: whether a property exists; optional ones may be missing.
  /// - Returns: nil if there is no object at the path.
  static func document(
    of path: String, hasProperty: (_ interface: String, _ property: String) -> Bool
  ) -> String? {
    if path == MPRISInterface.path {
      let interfaces = MPRISInterface.all.map { element(of: $0, hasProperty: hasProperty) }
      return head + interfaces.joined() + "</node>\n"
    }
    let parent = path == "/" ? "/" : path + "/"
    guard MPRISInterface.path.hasPrefix(parent),
      let child = MPRISInterface.path.dropFirst(parent.count).split(separator: "/").first
    else { return nil }
    return head + "  <node name=\"\(child)\"/>\n</node>\n"
  }

  private static func element(
    of interface: MPRISInterface, hasProperty: (String, String) -> Bool
  ) -> String {
    var lines = ["  <interface name=\"\(interface.name)\">"]
    for method in interface.methods {
      lines.append("    <method name=\"\(method.name)\">")
      lines += method.input.map { argument($0, direction: "in") }
      lines += method.output.map { argument($0, direction: "out") }
      lines.append("    </method>")
    }
    for signal in interface.signals {
      lines.append("    <signal name=\"\(signal.name)\">")
      lines += signal.arguments.map { argument($0, direction: nil) }
      lines.append("    </signal>")
    }
    for property in interface.properties where hasProperty(interface.name, property.name) {
      let access = property.isWritable ? "readwrite" : "read"
      lines.append(
        "    <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\">")
      lines.append(
        "      <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" "
          + "value=\"\(property.notice.rawValue)\"/>")
      lines.append("    </property>")
    }
    lines.append("  </interface>")
    return lines.joined(separator: "\n") + "\n"
  }

  private static func argument(_ argument: MPRISInterface.Argument, direction: String?) -> String {
    let direction = direction.map { " direction=\"\($0)\"" } ?? ""
    return "      <arg name=\"\(argument.name)\" type=\"\(argument.type)\"\(direction)/>"
  }
}
