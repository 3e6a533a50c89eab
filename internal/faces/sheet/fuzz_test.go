package sheet

import "testing"

// FuzzReadRecords reads any bytes as a sheet of clusters: it is refused cell by cell, or it
// becomes records, never both and never a panic.
func FuzzReadRecords(f *testing.F) {
	f.Add([]byte("name,provider,region,sku,gpu,gpusPerNode,islands,owner\nlion,azure,westus3,nd96,h200,8,4x16,ada\n"))
	f.Add([]byte("name;owner\n=1+1;\"a\nb\"\n"))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, wrong := ReadRecords(data, nil)
		if len(records) > 0 && len(wrong) > 0 {
			t.Fatalf("%d records and %d mistakes", len(records), len(wrong))
		}
		if len(wrong) > mostErrors+1 {
			t.Fatalf("%d mistakes are named", len(wrong))
		}
	})
}
